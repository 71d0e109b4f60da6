import { Cache } from '../../lib/cache';
import type { ServiceContext } from '../../mixins/service';
import type { Connected, ConnectionWanted } from '../../nodes/contract';
import type { App } from '../app';
import { answered } from './answered';

/** How long credentials are used without asking again; they are given with at least as much time left. */
const TTL_MS = 2_000;
const CACHED = 10_000;
/** What the keys of connections begin with, in `cache.stale`; then `<tenant>`. */
const STALE = 'connections.credentials:';

/** Credentials for the steps on this host, as they are now. */
export class HostConnections {
  /** By tenant, then by what was asked for. */
  readonly #known: Cache<Map<string, Connected>>;

  constructor(private readonly app: App) {
    this.#known = new Cache({ max: CACHED, ttlMs: TTL_MS, now: () => app.clock.now() });
  }

  /** Waits while nobody can tell, until it is aborted. @throws StepAside where the service does not answer for long, Aborted */
  async find(
    { call, log }: ServiceContext,
    tenantId: string,
    ref: string,
    { connectors, refused }: ConnectionWanted,
    signal: AbortSignal,
  ): Promise<Connected> {
    const key = JSON.stringify([ref, connectors]);
    const known = refused === undefined ? this.#known.get(tenantId)?.get(key) : undefined;
    if (known !== undefined) return known;
    const asked = { ref, connectors: [...connectors], ...(refused === undefined ? {} : { refused }) };
    const ask = (): Promise<Connected> => call('connections.credentials', asked, { asServiceOf: tenantId });
    const found = await answered(this.app, log, `The connection ${ref}`, ask, signal);
    // What is wrong with a connection is often mended the moment after it was told.
    if (found.kind === 'ready') this.#keep(tenantId, key, found);
    return found;
  }

  /** Drops what a pattern says is stale. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE)) this.#known.delete(pattern.slice(STALE.length));
  }

  #keep(tenantId: string, key: string, found: Connected): void {
    const kept = this.#known.get(tenantId);
    if (kept !== undefined) kept.set(key, found);
    else this.#known.set(tenantId, new Map([[key, found]]));
  }
}
