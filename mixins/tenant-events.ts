import { createCache } from '../lib/cache';
import { watchGroup } from '../contracts/events';
import type { TenantEvent } from '../contracts/tenant-events';
import type { Clock } from '../lib/clock';
import type { EventDefinition, ServiceContext } from './service';
import { WatchRegistry } from './watch-registry';

/** More events of a tenant in one second are dropped, and its subscribers get `missed`. */
const MAX_EVENTS_PER_SECOND = 100;
const WINDOW_MS = 1_000;
const MAX_TENANTS = 10_000;

type Publisher = Pick<ServiceContext, 'broadcast'>;

/** Publishes events of tenants to the nodes that subscribe to them. They are hints: they may come late, twice or never. */
export class TenantEvents {
  readonly #nodes: WatchRegistry;
  /** Events of the current second, by tenant. */
  readonly #sent;

  constructor(private readonly clock: Clock) {
    const now = (): number => clock.now();
    this.#nodes = new WatchRegistry(now);
    this.#sent = createCache<{ since: number; count: number }>({ max: MAX_TENANTS, ttlMs: 2 * WINDOW_MS, now });
  }

  get event(): EventDefinition<'tenant.watch'> {
    return { handle: ({ tenant_ids, node }) => tenant_ids.forEach((id) => this.#nodes.watch(id, node)) };
  }

  /** True when nodes subscribe to the tenant. */
  hasSubscribers(tenantId: string): boolean {
    return this.#nodes.nodes(tenantId).length > 0;
  }

  publish(context: Publisher, tenantId: string, event: Omit<TenantEvent, 'at'>): void {
    const nodes = this.#nodes.nodes(tenantId);
    if (nodes.length === 0) return;
    const now = this.clock.now();
    const count = this.#count(tenantId, now);
    if (count > MAX_EVENTS_PER_SECOND + 1) return;
    const sent = count > MAX_EVENTS_PER_SECOND ? ({ event: 'missed' } as const) : event;
    const groups = nodes.map(watchGroup);
    context.broadcast('tenant.changed', { tenant_id: tenantId, at: new Date(now).toISOString(), ...sent }, groups);
  }

  #count(tenantId: string, now: number): number {
    const known = this.#sent.get(tenantId);
    const window = known === undefined || now - known.since >= WINDOW_MS ? { since: now, count: 0 } : known;
    window.count += 1;
    this.#sent.set(tenantId, window);
    return window.count;
  }
}
