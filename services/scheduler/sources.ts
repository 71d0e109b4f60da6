import { compileTemplate, render, templateRefs } from '../../dsl';
import { createDialer, createEgress, type Dialer, type Egress, parseEgressAllow } from '../../lib/egress';
import { errorMessage } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { excerpt, masking } from '../../nodes/mask';
import type { NodeConnection, NodeHttp } from '../../nodes/contract';
import { pollSource, POLLERS } from '../../nodes/pollers';
import type { Polled, PollWorld } from '../../nodes/pollers/contract';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { SeenItems } from './rules/poll-state';
import type { Source } from './store';

/** Time for a source to say what is new. */
const POLL_MS = 30_000;
/** Of one exchange over HTTP. */
const EXCHANGE_MS = 20_000;
const MAX_BYTES = 5 * 1024 * 1024;
/** Time for the services to say what a source is asked with. */
const PATIENCE_MS = 5_000;
/** Shorter ones stand in too many words. */
const SHORTEST_MASKED = 4;

/** What of a poll changes from one to the next. */
export interface Asking {
  readonly seen: SeenItems;
  readonly now: number;
  readonly limit: number;
}

type Fault = Extract<Polled, { kind: 'fault' }>;

/** The way to the sources: guarded, bounded, and with the secrets of the tenant in place. */
export class Sources {
  readonly #egress: Egress;
  readonly #net: Dialer;
  readonly #http: NodeHttp;

  constructor(
    private readonly app: Pick<App, 'config' | 'stopping'>,
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

  /** What is new at a source, or why nobody knows. Messages hold no secrets. Never throws. */
  async poll(call: Call, source: Source, asking: Asking): Promise<Polled> {
    const poller = POLLERS.get(source.timer.type);
    if (poller === undefined) return unknownType(source.timer.type);
    const hidden: string[] = [];
    const stop = new AbortController();
    const { signal } = stop;
    const { stopping } = this.app;
    const end = (): void => stop.abort();
    const late = setTimeout(end, POLL_MS);
    stopping.addEventListener('abort', end, { once: true });
    try {
      const config = await configOf(call, source, hidden);
      if (config.kind === 'fault') return config;
      const world = this.#world(call, source, { ...asking, config: config.value, signal, hidden });
      return masked(await Promise.race([pollSource(poller, world), aborted(signal)]), hidden);
    } catch (thrown) {
      const message = masking((text) => text, hidden)(errorMessage(thrown));
      this.warn(`${source.timer.type} of ${source.record._id}: ${message}`);
      return fault('unavailable', 'the source could not be asked; it is tried again');
    } finally {
      clearTimeout(late);
      stopping.removeEventListener('abort', end);
    }
  }

  #world(
    call: Call,
    { record, state }: Source,
    {
      config,
      signal,
      hidden,
      seen,
      now,
      limit,
    }: Asking & { config: JsonObject; signal: AbortSignal; hidden: string[] },
  ): PollWorld {
    return {
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
        const asService = { asServiceOf: record.tenant_id, timeoutMs: 2 * PATIENCE_MS };
        const found = await call('connections.credentials', asked, asService);
        if (found.kind === 'ready') hidden.push(...secretsOf(found.connection));
        return found;
      },
    };
  }
}

/** What of a connection must not be shown: a host or an id may be. */
const secretsOf = ({ credentials, plain = [] }: NodeConnection): string[] =>
  Object.keys(credentials).flatMap((name) => (plain.includes(name) ? [] : (credentials[name] ?? [])));

const fault = (code: string, message: string, retryable = true): Fault => ({
  kind: 'fault',
  error: { code, message },
  retryable,
  retryAfterMs: null,
});

/** One that another version of this program knows. */
const unknownType = (type: string): Fault => fault('unknown_source', `${type} is not known here`);

function aborted(signal: AbortSignal): Promise<Polled> {
  const late = fault('timed_out', `the source has not answered within ${POLL_MS / 1_000} s`);
  return new Promise((resolve) => {
    if (signal.aborted) resolve(late);
    signal.addEventListener('abort', () => resolve(late), { once: true });
  });
}

/** The settings of a source, its secrets in place; those are hidden from then on. */
async function configOf(
  call: Call,
  { record, timer }: Source,
  hidden: string[],
): Promise<{ kind: 'ready'; value: JsonObject } | Fault> {
  const template = compileTemplate(JSON.parse(timer.config) as JsonObject);
  const names = [...templateRefs(template).secrets];
  const asService = { asServiceOf: record.tenant_id, timeoutMs: PATIENCE_MS };
  const { values } = names.length === 0 ? { values: {} } : await call('secrets.reveal', { names }, asService);
  const known: Record<string, string> = values;
  const missing = names.filter((name) => !Object.hasOwn(known, name));
  if (missing.length > 0)
    return fault('unknown_secret', `the trigger uses secrets that do not exist: ${missing.join(', ')}`, false);
  hidden.push(...Object.values(known));
  const root = (name: string) => (name === 'secret' ? known : undefined);
  // The language has checked that only secrets are named.
  const value = render(template, { root, now: 0, random: () => new Uint8Array() }) as JsonObject;
  return { kind: 'ready', value };
}

function masked(polled: Polled, hidden: readonly string[]): Polled {
  if (polled.kind !== 'fault') return polled;
  const mask = masking(
    (text) => text,
    hidden.filter((text) => text.length >= SHORTEST_MASKED),
  );
  const { code, message } = polled.error;
  return { ...polled, error: { code, message: excerpt(mask(message)) } };
}
