import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type Packet, Transporters } from 'moleculer';
import { connect, type ConnectionOptions, type NatsConnection, type Status } from 'nats';
import { errorMessage } from '../../lib/errors';
import { isObject } from '../../lib/json';

const RETRY_MS = 250;
/** While the bus is away, it is said again at times, not at each try. */
const SAY_AGAIN_MS = 30_000;
/** A server that is gone cannot confirm what was sent last. */
const GOODBYE_MS = 500;

/** What a NATS server answers when there is nobody to deliver to. */
const NOBODY_THERE = 503;

/** How often a node says that its connection was lost. */
export const outagesOf = (metadata: unknown): number =>
  isObject(metadata) && typeof metadata.outages === 'number' ? metadata.outages : 0;

/**
 * Moleculer over NATS, for connections that break. Moleculer's own believes itself connected while it is not: what is
 * sent then is thrown away by the client, and each call waits for its time to be over. This one knows:
 *
 * - B1 while there is no connection, calls fail at once, as never sent, and events are dropped, as hints may be;
 * - B2 calls under way at the moment of the loss are cut off: their answers may have been sent to nobody;
 * - B3 it comes back by itself, however long it takes, also when it never was connected;
 * - B4 leaving takes a moment, whatever the server does;
 * - B5 a request that the server could deliver to nobody fails at once, as never received, and its node is taken for
 *   gone: a killed process is missed by the first call to it;
 * - B6 who was away tells the others, so that they do not wait for answers that it could not send.
 */
export class NatsTransporter extends Transporters.NATS {
  readonly #options: ConnectionOptions;
  #leaving = false;

  constructor(options: ConnectionOptions) {
    super({});
    this.#options = options;
  }

  /** Largest message that the server takes, in bytes. */
  get maxPayload(): number {
    return this.#connection()?.info?.max_payload ?? 1024 ** 2;
  }

  override async connect(): Promise<void> {
    this.#leaving = false;
    const client = await this.#dial();
    if (client === null) return;
    this.client = client;
    this.logger.info(`The bus is reached: ${client.getServer()}`);
    this.#follow(client).catch((fault: unknown) =>
      this.logger.error('The connection to the bus is not watched', fault),
    );
    await this.onConnected(false);
  }

  override async disconnect(): Promise<void> {
    this.#leaving = true;
    this.connected = false;
    const client = this.#connection();
    this.client = null;
    if (client === null) return;
    await Promise.race([client.flush(), sleep(GOODBYE_MS)]).catch((fault: unknown) =>
      this.logger.debug('The bus did not confirm the last messages', fault),
    );
    await client.close();
  }

  override prepublish(packet: Packet.Packet<never>): Promise<void> {
    if (!this.connected && packet.type === 'EVENT') return Promise.resolve();
    return super.prepublish(packet);
  }

  override async makeSubscriptions(topics: Parameters<Transporters.NATS['makeSubscriptions']>[0]): Promise<void> {
    this.#connection()?.subscribe(this.#undelivered('*'), {
      callback: (fault, message) => {
        if (fault === null && message.headers?.code === NOBODY_THERE)
          this.#undeliverable(message.subject.slice(this.#undelivered('').length));
      },
    });
    await super.makeSubscriptions(topics);
  }

  override send(
    topic: string,
    data: Buffer,
    meta: { packet?: Packet.Packet<Packet.PacketRequestPayload> } = {},
  ): Promise<void> {
    const id = meta.packet?.type === 'REQ' ? meta.packet.payload.id : undefined;
    // A server tells this subject when nobody listens to the topic. Nobody else does: answers have their own way.
    const reply = typeof id === 'string' ? { reply: this.#undelivered(id) } : {};
    this.#connection()?.publish(topic, data, reply);
    return Promise.resolve();
  }

  override async subscribe(cmd: string, nodeID?: string): Promise<void> {
    const subject = this.getTopicName(cmd, nodeID);
    this.#connection()?.subscribe(subject, {
      callback: (fault, message) => {
        if (fault !== null) return this.logger.error(`The bus lets us not listen to ${subject}: ${fault.message}`);
        const { buffer, byteOffset, byteLength } = message.data;
        // An error that got out of here would end the client's reading without a word.
        Promise.resolve()
          .then(() => this.receive(cmd, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)))
          .catch((error: unknown) => this.logger.error(`A message to ${subject} was not handled`, error));
      },
    });
  }

  /** Ids of requests are UUIDs, so they are safe in a subject. */
  #undelivered(id: string): string {
    return `${this.prefix}.UNDELIVERED.${this.nodeID}.${id}`;
  }

  #undeliverable(id: string): void {
    const request = this.transit.pendingRequests.get(id);
    if (request === undefined) return;
    this.transit.removePendingRequest(id);
    const { nodeID } = request;
    request.reject(new Errors.ServiceNotAvailableError({ action: request.ctx.action?.name ?? '', nodeID }));
    this.broker.registry.discoverer.remoteNodeDisconnected(nodeID, true);
  }

  #connection(): NatsConnection | null {
    return this.client as NatsConnection | null;
  }

  async #dial(): Promise<NatsConnection | null> {
    let saidAt = Number.NEGATIVE_INFINITY;
    while (!this.#leaving) {
      try {
        return await connect(this.#options);
      } catch (fault) {
        if (performance.now() - saidAt > SAY_AGAIN_MS) {
          this.logger.warn(`The bus cannot be reached: ${errorMessage(fault)}. Trying until it can`);
          saidAt = performance.now();
        }
        await sleep(RETRY_MS);
      }
    }
    return null;
  }

  /** Until the client gives up for good, which it does when its credentials cannot be read; then from the beginning. */
  async #follow(client: NatsConnection): Promise<void> {
    // Its news do not end with it.
    const news = (async () => {
      for await (const status of client.status()) this.#changed(client, status);
    })();
    const fault = await Promise.race([client.closed(), news]);
    if (this.#leaving) return;
    this.logger.warn(`The client of the bus has given up: ${errorMessage(fault ?? 'closed')}. Beginning anew`);
    this.#lost();
    await sleep(RETRY_MS);
    await this.connect();
  }

  #changed(client: NatsConnection, { type, data }: Status): void {
    if (type === 'disconnect') this.#lost();
    if (type === 'error') this.logger.warn(`The bus says: ${String(data)}`);
    if (type !== 'reconnect') return;
    this.logger.warn(`The bus is back: ${client.getServer()}`);
    const { broker } = this;
    broker.metadata.outages = outagesOf(broker.metadata) + 1;
    broker.registry.regenerateLocalRawInfo(true);
    this.onConnected(true).catch((fault: unknown) => this.logger.error('The bus is back, but not usable', fault));
  }

  #lost(): void {
    if (!this.connected || this.#leaving) return;
    this.connected = false;
    this.logger.warn('The bus is lost. Trying until it is back');
    for (const { id, local } of this.broker.registry.nodes.toArray())
      if (!local) this.transit.removePendingRequestByNodeID(id);
    void this.broker.broadcastLocal('$transporter.disconnected', { graceFul: false });
  }
}
