import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type Packet, Transporters } from 'moleculer';
import { connect, type ConnectionOptions, ErrorCode, type NatsConnection, type Status } from 'nats';
import { errorMessage } from '../errors';
import { isObject } from '../json';
import { changeMetadata, disconnectNode, failRemoteCalls, removePendingCall } from './internals';

const RETRY_MS = 250;
/** How often a failing connection attempt is logged. */
const LOG_INTERVAL_MS = 10_000;
/** Time limit of the final flush: a lost server cannot confirm it. */
const FLUSH_TIMEOUT_MS = 500;

/** Status of a NATS message without subscribers. */
const NO_RESPONDERS = 503;

/** Log message for a failed connection, with advice where retrying does not help. */
function connectFault(fault: unknown): string {
  const refused = isObject(fault) && fault.code === ErrorCode.AuthorizationViolation;
  const advice = refused
    ? '; check the user and password in TRANSPORTER, or NATS_TOKEN, NATS_NKEY_SEED, NATS_CREDS'
    : '';
  return `Cannot connect to NATS: ${errorMessage(fault)}${advice}. Retrying`;
}

/** How many connection losses a node's metadata reports. */
export const outagesOf = (metadata: unknown): number =>
  isObject(metadata) && typeof metadata.outages === 'number' ? metadata.outages : 0;

/**
 * NATS transporter that handles lost connections. Moleculer's transporter does not notice a loss: the client discards
 * what is sent, and each call waits for its timeout. This one guarantees:
 *
 * - B1 without a connection, calls fail at once as not sent, and events are dropped;
 * - B2 calls pending at the time of a loss are rejected: their responses may be lost;
 * - B3 it reconnects by itself, however long it takes, also when it never was connected;
 * - B4 disconnecting is quick, whatever the server does;
 * - B5 a request without subscribers fails at once as not received, and its node is marked disconnected: the first
 *   call to a killed process detects its loss;
 * - B6 a node that was disconnected announces it, so that callers do not wait for responses it could not send.
 *
 * Each has a test in test/integration/bus/outages.spec.ts; entry.spec.ts tests refused connections.
 */
export class NatsTransporter extends Transporters.NATS {
  readonly #options: ConnectionOptions;
  #isStopping = false;

  constructor(options: ConnectionOptions) {
    super({});
    this.#options = options;
  }

  /** Maximum message size of the server, in bytes. */
  get maxPayload(): number {
    return this.#connection()?.info?.max_payload ?? 1024 ** 2;
  }

  /** Moleculer gives up when the first connection fails, and does not notice a loss (B1, B3). */
  override async connect(): Promise<void> {
    this.#isStopping = false;
    const client = await this.#connectUntilStopped();
    if (client === null) return;
    this.client = client;
    this.logger.info(`Connected to NATS: ${client.getServer()}`);
    this.#watch(client).catch((fault: unknown) => this.logger.error('Watching the NATS connection failed', fault));
    await this.onConnected(false);
  }

  /** Moleculer waits for a server that is gone (B4). */
  override async disconnect(): Promise<void> {
    this.#isStopping = true;
    this.connected = false;
    const client = this.#connection();
    this.client = null;
    if (client === null) return;
    await Promise.race([client.flush(), sleep(FLUSH_TIMEOUT_MS)]).catch((fault: unknown) =>
      this.logger.debug('NATS did not confirm the last messages', fault),
    );
    await client.close();
  }

  /** Moleculer hands events to a closed client (B1). */
  override prepublish(packet: Packet.Packet<never>): Promise<void> {
    if (!this.connected && packet.type === 'EVENT') return Promise.resolve();
    return super.prepublish(packet);
  }

  /** Subscribes to NATS' reports of requests without subscribers (B5). */
  override async makeSubscriptions(topics: Parameters<Transporters.NATS['makeSubscriptions']>[0]): Promise<void> {
    this.#connection()?.subscribe(this.#undelivered('*'), {
      callback: (fault, message) => {
        if (fault === null && message.headers?.code === NO_RESPONDERS)
          this.#undeliverable(message.subject.slice(this.#undelivered('').length));
      },
    });
    await super.makeSubscriptions(topics);
  }

  /** Moleculer sets no reply subject for B5, and fails on a closed client (B1). */
  override send(
    topic: string,
    data: Buffer,
    meta: { packet?: Packet.Packet<Packet.PacketRequestPayload> } = {},
  ): Promise<void> {
    const id = meta.packet?.type === 'REQ' ? meta.packet.payload.id : undefined;
    // NATS replies on this subject when the topic has no subscribers. Nothing else does: responses use their own
    // subject.
    const reply = typeof id === 'string' ? { reply: this.#undelivered(id) } : {};
    this.#connection()?.publish(topic, data, reply);
    return Promise.resolve();
  }

  /** Moleculer drops the error of a refused subscription, and an error in a handler ends the client's read loop. */
  override async subscribe(cmd: string, nodeID?: string): Promise<void> {
    const subject = this.getTopicName(cmd, nodeID);
    this.#connection()?.subscribe(subject, {
      callback: (fault, message) => {
        if (fault !== null) return this.logger.error(`NATS refused the subscription to ${subject}: ${fault.message}`);
        const { buffer, byteOffset, byteLength } = message.data;
        // An error that escaped here would silently end the client's read loop.
        Promise.resolve()
          .then(() => this.receive(cmd, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)))
          .catch((error: unknown) => this.logger.error(`Handling a message on ${subject} failed`, error));
      },
    });
  }

  /** Request ids are UUIDs, so they are safe in a subject. */
  #undelivered(id: string): string {
    return `${this.prefix}.UNDELIVERED.${this.nodeID}.${id}`;
  }

  #undeliverable(id: string): void {
    const request = removePendingCall(this.broker, id);
    if (request === undefined) return;
    const { nodeID } = request;
    request.reject(new Errors.ServiceNotAvailableError({ action: request.ctx.action?.name ?? '', nodeID }));
    disconnectNode(this.broker, nodeID);
  }

  #connection(): NatsConnection | null {
    return this.client as NatsConnection | null;
  }

  async #connectUntilStopped(): Promise<NatsConnection | null> {
    let loggedAt = Number.NEGATIVE_INFINITY;
    while (!this.#isStopping) {
      try {
        return await connect(this.#options);
      } catch (fault) {
        if (performance.now() - loggedAt > LOG_INTERVAL_MS) {
          this.logger.warn(connectFault(fault));
          loggedAt = performance.now();
        }
        await sleep(RETRY_MS);
      }
    }
    return null;
  }

  /** Runs until the client gives up, as when its credentials file cannot be read; then connects again. */
  async #watch(client: NatsConnection): Promise<void> {
    // The status iterator does not end when the client closes.
    const statuses = (async () => {
      for await (const status of client.status()) this.#onStatus(client, status);
    })();
    const fault = await Promise.race([client.closed(), statuses]);
    if (this.#isStopping) return;
    this.logger.warn(`The NATS client gave up: ${errorMessage(fault ?? 'closed')}. Reconnecting`);
    this.#onDisconnected();
    await sleep(RETRY_MS);
    await this.connect();
  }

  #onStatus(client: NatsConnection, { type, data }: Status): void {
    if (type === 'disconnect') this.#onDisconnected();
    if (type === 'error') this.logger.warn(`NATS reported an error: ${String(data)}`);
    if (type !== 'reconnect') return;
    this.logger.warn(`Reconnected to NATS: ${client.getServer()}`);
    changeMetadata(this.broker, { outages: outagesOf(this.broker.metadata) + 1 });
    this.onConnected(true).catch((fault: unknown) =>
      this.logger.error('NATS is reconnected, but the bus is not usable', fault),
    );
  }

  #onDisconnected(): void {
    if (!this.connected || this.#isStopping) return;
    this.connected = false;
    this.logger.warn('The connection to NATS is lost. Reconnecting');
    failRemoteCalls(this.broker);
    void this.broker.broadcastLocal('$transporter.disconnected', { graceFul: false });
  }
}
