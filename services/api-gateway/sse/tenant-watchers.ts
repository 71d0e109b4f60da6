import type { TenantEvent } from '../../../contracts/tenant-events';
import type { Clock } from '../../../lib/clock';
import { type NextRun, PeriodicTask } from '../../../lib/periodic';
import type { StreamClient, StreamCounts } from './stream-counts';

/** Subscriptions at services expire after 30 seconds, and a new process has none. */
const REPEAT_MS = 10_000;
const TENANTS_AT_ONCE = 500;
/** Events that a slow stream keeps; then it gets `missed` instead of them. */
const MAX_QUEUED = 1_000;

interface TenantWatchersOptions {
  readonly clock: Clock;
  readonly counts: StreamCounts;
  /** Subscribes this node to tenants at all services. */
  readonly announce: (tenantIds: string[]) => void;
  readonly onError: (error: unknown) => void;
}

/** A stream of a tenant's events. */
class TenantWatch {
  #queue: TenantEvent[] = [];
  #wake: (() => void) | null = null;

  add(event: TenantEvent): void {
    this.#queue = this.#queue.length < MAX_QUEUED ? [...this.#queue, event] : [{ event: 'missed', at: event.at }];
    this.nudge();
  }

  nudge = (): void => this.#wake?.();

  /** The events since the last call; waits for one, or at most the given time. */
  async next(clock: Clock, maxMs: number): Promise<readonly TenantEvent[]> {
    if (this.#queue.length === 0) {
      let cancel = (): void => {};
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        cancel = clock.after(maxMs, resolve);
      });
      cancel();
      this.#wake = null;
    }
    const events = this.#queue;
    this.#queue = [];
    return events;
  }
}

/** The streams of tenants' events on this gateway. */
export class TenantWatchers {
  readonly #byTenant = new Map<string, Set<TenantWatch>>();
  readonly #announcing: PeriodicTask;
  #open = true;

  constructor(private readonly options: TenantWatchersOptions) {
    const { clock, onError } = options;
    this.#announcing = new PeriodicTask({
      clock,
      intervalMs: REPEAT_MS,
      run: async () => this.#announceAll(),
      onError,
    });
  }

  /** False once the server stops. */
  get open(): boolean {
    return this.#open;
  }

  /** @throws AppError unavailable, rate_limited */
  assertRoom(client: StreamClient): void {
    this.options.counts.assertRoom(client);
  }

  watch(tenantId: string, client: StreamClient): { readonly watch: TenantWatch; stop(): void } {
    const watch = new TenantWatch();
    const watches = this.#byTenant.get(tenantId) ?? new Set();
    this.#byTenant.set(tenantId, watches.add(watch));
    this.options.counts.add(client, 1);
    this.options.announce([tenantId]);
    this.#announcing.start();
    return {
      watch,
      stop: () => {
        if (!watches.delete(watch)) return;
        if (watches.size === 0) this.#byTenant.delete(tenantId);
        this.options.counts.add(client, -1);
      },
    };
  }

  onEvent(tenantId: string, event: TenantEvent): void {
    for (const watch of this.#byTenant.get(tenantId) ?? []) watch.add(event);
  }

  /** Ends all streams. */
  close(): void {
    this.#open = false;
    void this.#announcing.stop();
    for (const watches of this.#byTenant.values()) for (const watch of watches) watch.nudge();
  }

  #announceAll(): NextRun | void {
    if (this.#byTenant.size === 0) return { inMs: null };
    const ids = [...this.#byTenant.keys()];
    for (let at = 0; at < ids.length; at += TENANTS_AT_ONCE) this.options.announce(ids.slice(at, at + TENANTS_AT_ONCE));
  }
}
