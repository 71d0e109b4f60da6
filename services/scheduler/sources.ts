import { compileTemplate, renderSliced, templateRefs } from '../../dsl';
import type { Compute } from '../../lib/compute';
import { createDialer, createEgress, type Dialer, type Egress, parseEgressAllow } from '../../lib/egress';
import { errorMessage } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { excerpt, redactingAlso } from '../../nodes/redaction';
import type { NodeConnection, NodeHttp } from '../../nodes/contract';
import { CUSTOM_PREFIX, customPoller } from '../../nodes/custom';
import { POLLERS } from '../../nodes/pollers';
import type { Polled, Poller, PollContext } from '../../nodes/pollers/contract';
import { misconfigured, PollFault, faultOfThrown } from '../../nodes/pollers/fault';
import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import type { PollTimer } from '../../contracts/scheduler';
import type { SeenItems } from './rules/poll-state';
import type { Source } from './store';

/** Timeout of a poll. */
const POLL_MS = 30_000;
/** Timeout of one HTTP request. */
const EXCHANGE_MS = 20_000;
const MAX_BYTES = 5 * 1024 * 1024;
/** Timeout of the calls that read the secrets and credentials of a source. */
const CALL_TIMEOUT_MS = 5_000;
/** Shorter secrets are not redacted, because they occur in ordinary words. */
const MIN_MASKED_CHARS = 4;

/** Parameters of a single poll. */
interface PollParams {
  readonly seen: SeenItems;
  readonly now: number;
  readonly limit: number;
}

/** A poll in progress. */
interface Attempt extends PollParams {
  readonly signal: AbortSignal;
  /** Values that messages must not contain. */
  readonly hidden: string[];
}

type Fault = Extract<Polled, { kind: 'fault' }>;

/** Polls sources over guarded egress, with limits, and with the tenant's secrets resolved. */
export class Sources {
  readonly #egress: Egress;
  readonly #net: Dialer;
  readonly #http: NodeHttp;

  constructor(
    private readonly app: Pick<App, 'config' | 'stopping' | 'compute'>,
    private readonly warn: (message: string) => void,
  ) {
    const allow = parseEgressAllow(app.config.egressAllow);
    const egress = createEgress({ allow, limits: { timeoutMs: EXCHANGE_MS, maxBytes: MAX_BYTES } });
    this.#egress = egress;
    this.#net = createDialer({ allow });
    this.#http = egress;
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** Returns the new items of a source, or the fault. Messages contain no secrets. Never throws. */
  async poll(call: Call, source: Source, asking: PollParams): Promise<Polled> {
    const hidden: string[] = [];
    const stop = new AbortController();
    const { signal } = stop;
    const { stopping } = this.app;
    const end = (): void => stop.abort();
    const late = setTimeout(end, POLL_MS);
    stopping.addEventListener('abort', end, { once: true });
    try {
      const asked = this.#ask(call, source, { ...asking, signal, hidden });
      return masked(await Promise.race([asked, aborted(signal)]), hidden);
    } catch (thrown) {
      const message = redactingAlso((text) => text, hidden)(errorMessage(thrown));
      this.warn(`${source.timer.type} of ${source.record._id}: ${message}`);
      return fault('unavailable', 'the source could not be asked; it is tried again');
    } finally {
      clearTimeout(late);
      stopping.removeEventListener('abort', end);
    }
  }

  async #ask(call: Call, source: Source, attempt: Attempt): Promise<Polled> {
    try {
      const poller = await pollerOf(call, source);
      return await poller.poll(await this.#world(call, source, attempt));
    } catch (thrown) {
      return faultOfThrown(thrown);
    }
  }

  /** @throws PollFault when a secret is missing */
  async #world(
    call: Call,
    { record, state, timer }: Source,
    { signal, hidden, seen, now, limit }: Attempt,
  ): Promise<PollContext> {
    const compute = this.app.compute.lane(record.tenant_id);
    const secrets = (names: readonly string[]) => revealed(call, record.tenant_id, names, hidden);
    const config = await configOf(timer, secrets, compute);
    return {
      compute,
      secrets,
      config,
      cursor: state.cursor,
      now,
      signal,
      http: this.#http,
      net: this.#net,
      limit,
      connectorUrls: this.app.config.connectorUrls,
      known: (id) => seen.has(id),
      async connection(ref, { connectors, refused }) {
        const asked = { ref, connectors: [...connectors], ...(refused === undefined ? {} : { refused }) };
        const asService = { asServiceOf: record.tenant_id, timeoutMs: 2 * CALL_TIMEOUT_MS };
        const found = await call('connections.credentials', asked, asService);
        if (found.kind === 'ready') hidden.push(...secretsOf(found.connection));
        return found;
      },
    };
  }
}

/** The secret values of a connection; a host or an id may be shown. */
const secretsOf = ({ credentials, plain = [] }: NodeConnection): string[] =>
  Object.keys(credentials).flatMap((name) => (plain.includes(name) ? [] : (credentials[name] ?? [])));

const fault = (code: string, message: string, retryable = true): Fault => ({
  kind: 'fault',
  error: { code, message },
  retryable,
  retryAfterMs: null,
});

function aborted(signal: AbortSignal): Promise<Polled> {
  const late = fault('timed_out', `the source has not answered within ${POLL_MS / 1_000} s`);
  return new Promise((resolve) => {
    if (signal.aborted) resolve(late);
    signal.addEventListener('abort', () => resolve(late), { once: true });
  });
}

/** The poller of a trigger. @throws PollFault */
async function pollerOf(call: Call, { record, timer: { type } }: Source): Promise<Poller> {
  const poller = POLLERS.get(type);
  if (poller !== undefined) return poller;
  // A type of another version of this program.
  if (!type.startsWith(CUSTOM_PREFIX)) throw new PollFault('unknown_source', `${type} is not known here`, true);
  const asService = { asServiceOf: record.tenant_id, timeoutMs: CALL_TIMEOUT_MS };
  // Read for each poll, so that a change applies to the next one.
  const node = await call('workflows.custom_node', { type }, asService);
  if (node === null)
    throw new PollFault('unknown_type', `there is no custom node ${type}: create it, or change the trigger`, false);
  if (node.kind !== 'trigger')
    throw misconfigured(`${type} is a tool, not a trigger: set its "kind" to "trigger", or change the trigger`);
  return customPoller(node);
}

/** Reads secrets of a tenant and redacts them in messages. @throws PollFault */
async function revealed(
  call: Call,
  tenantId: string,
  names: readonly string[],
  hidden: string[],
): Promise<Readonly<Record<string, string>>> {
  if (names.length === 0) return {};
  const asService = { asServiceOf: tenantId, timeoutMs: CALL_TIMEOUT_MS };
  const { values } = await call('secrets.reveal', { names: [...names] }, asService);
  const known: Record<string, string> = values;
  const missing = names.filter((name) => !Object.hasOwn(known, name));
  if (missing.length > 0) {
    const message = `the trigger uses secrets that do not exist: ${missing.join(', ')}`;
    throw new PollFault('unknown_secret', message, false);
  }
  hidden.push(...Object.values(known));
  return known;
}

/** The configuration of a source with resolved secrets. @throws PollFault */
async function configOf(timer: PollTimer, secrets: PollContext['secrets'], compute: Compute): Promise<JsonObject> {
  const template = compileTemplate(JSON.parse(timer.config) as JsonObject);
  const secret = { ...(await secrets([...templateRefs(template).secrets])) };
  const root = (name: string) => (name === 'secret' ? secret : undefined);
  // The compiler has checked that expressions refer only to secrets.
  return (await renderSliced(compute, template, { root, now: 0, random: () => new Uint8Array(32) })) as JsonObject;
}

function masked(polled: Polled, hidden: readonly string[]): Polled {
  if (polled.kind !== 'fault') return polled;
  const mask = redactingAlso(
    (text) => text,
    hidden.filter((text) => text.length >= MIN_MASKED_CHARS),
  );
  const { code, message } = polled.error;
  return { ...polled, error: { code, message: excerpt(mask(message)) } };
}
