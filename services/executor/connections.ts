import { type Cache, createGroupCache } from '../../lib/cache';
import { errorMessage } from '../../lib/errors';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import type { ConnectionResult, ConnectionRequest } from '../../nodes/contract';
import type { App } from '../app';
import { retryUntilAvailable } from './retry-until-available';

const CACHED = 10_000;
/** Prefix of the patterns of connections in `cache.stale`; the tenant follows. */
const STALE = 'connections.credentials:';

/** Current credentials for the steps on this host. */
export class HostConnections {
  /** By tenant, then by request. */
  readonly #known: Cache<Map<string, ConnectionResult>>;

  constructor(private readonly app: App) {
    this.#known = createGroupCache({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, now: () => app.clock.now() });
  }

  /** Retries while the service is unavailable, until aborted. @throws DependencyUnavailable after the lease time, Aborted */
  async find(
    { call, log }: ServiceContext,
    tenantId: string,
    ref: string,
    { connectors, refused }: ConnectionRequest,
    signal: AbortSignal,
  ): Promise<ConnectionResult> {
    const key = JSON.stringify([ref, connectors]);
    const kept = this.#known.memo(tenantId);
    const known = refused === undefined ? kept.get(key) : undefined;
    if (known !== undefined) return known;
    const asked = { ref, connectors: [...connectors], ...(refused === undefined ? {} : { refused }) };
    const ask = (): Promise<ConnectionResult> => call('connections.credentials', asked, { asServiceOf: tenantId });
    const found = await retryUntilAvailable(this.app, log, `The connection ${ref}`, ask, signal);
    // A faulty connection is often repaired right after its error, so only `ready` is cached.
    if (found.kind === 'ready') kept.set(key, found);
    return found;
  }

  /** Holds back the steps of a connection on all hosts. */
  pause({ call, log }: ServiceContext, tenantId: string, connection: string, until: number): void {
    call('connections.pause', { id: connection, until }, { asServiceOf: tenantId }).catch((fault: unknown) =>
      log.warn(`The pause of connection ${connection} could not be stored: ${errorMessage(fault)}`),
    );
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE)) this.#known.delete(pattern.slice(STALE.length));
  }
}
