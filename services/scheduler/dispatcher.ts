import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { type NextRun, PeriodicTask } from '../../lib/periodic';
import type { Advance, Claims, TenantCapacity } from './claims';
import type { Timer } from '../../contracts/scheduler';
import type { Fired } from './firing';
import type { Timed } from './store';

/** Concurrency limits of a dispatcher. */
export interface DispatcherLimits {
  readonly atOnce: number;
  /** Limit per tenant, so that a slow tenant does not block the others. */
  readonly ofTenant: number;
  /** Free capacity that is needed for a claim, so that claims are made in batches. */
  readonly room: number;
}

/** Schedules per claim. The built-in store looks up at most 400 keys by index; for more it scans the collection. */
const MAX_CLAIMED = 200;
/** Pause after a claim in which due schedules are collected: a claim costs the same for one and for many. */
const GATHER_MS = 20;
/** A schedule that another process created is found within this time. */
const POLL_MS = 500;
const RETRY_MS = 1_000;

/** Dependencies of a dispatcher. */
interface DispatcherDeps<K extends Timer['kind']> {
  readonly claims: Pick<Claims<K>, 'take' | 'nextWake' | 'advance'>;
  readonly clock: Clock;
  readonly bounds: DispatcherLimits;
  readonly fire: (timed: Timed<K>) => Promise<Fired>;
  /** Called when the schedule's workflow was removed. */
  readonly gone: (timed: Timed<K>) => Promise<void>;
  /** Called when histories got new entries. */
  readonly grown: (done: readonly Advance[]) => Promise<void>;
  readonly warn: (message: string) => void;
}

/** Claims due schedules, fires them concurrently, and advances them in batches. */
export class Dispatcher<K extends Timer['kind']> {
  readonly #firing = new Map<string, number>();
  #atOnce = 0;
  #done: { advance: Advance; settle: () => void }[] = [];
  #flushing = false;
  readonly #fires = new Set<Promise<void>>();
  readonly #task: PeriodicTask;

  constructor(private readonly deps: DispatcherDeps<K>) {
    this.#task = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_MS,
      retryMs: RETRY_MS,
      run: () => this.#claim(),
      onError: (error) => deps.warn(`Due schedules could not be claimed: ${errorMessage(error)}`),
    });
  }

  start(): void {
    this.wake();
  }

  /** Stops claiming. Resolves when all starts in progress are finished. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#fires);
  }

  /** Checks for due schedules now. */
  wake(): void {
    this.#task.trigger();
  }

  /** One round of claims. Returns the time of the next round; null when the end of a start triggers it. */
  async #claim(): Promise<NextRun> {
    const { claims, clock, bounds } = this.deps;
    const room = bounds.atOnce - this.#atOnce;
    if (room < bounds.room) return { inMs: null };
    const tenants = this.#roomOfTenants();
    // First the cheaper query: mostly nothing is due. For a tenant at its limit, the end of a start triggers a round.
    const next = await claims.nextWake(tenants);
    const inMs = next === null ? POLL_MS : Math.min(POLL_MS, next - clock.now());
    if (inMs > 0) return { inMs };
    const max = Math.min(room, MAX_CLAIMED);
    const claimed = await claims.take(clock.now(), max, tenants);
    for (const schedule of claimed) this.#launch(schedule);
    return { inMs: claimed.length < max ? GATHER_MS : 0 };
  }

  #roomOfTenants(): TenantCapacity {
    const counts = new Map(this.#firing);
    const { ofTenant } = this.deps.bounds;
    return {
      full: [...counts].filter(([, count]) => count >= ofTenant).map(([tenant]) => tenant),
      enter(tenant) {
        const count = counts.get(tenant) ?? 0;
        if (count >= ofTenant) return false;
        counts.set(tenant, count + 1);
        return true;
      },
    };
  }

  #launch(schedule: Timed<K>): void {
    const tenant = schedule.record.tenant_id;
    const { atOnce, ofTenant, room } = this.deps.bounds;
    this.#atOnce += 1;
    this.#firing.set(tenant, (this.#firing.get(tenant) ?? 0) + 1);
    const firing = this.#fire(schedule)
      .catch((error: unknown) => {
        // The claim expires, and a scheduler claims the schedule again.
        this.deps.warn(`Schedule ${schedule.record._id}: ${errorMessage(error)}`);
      })
      .then(() => {
        this.#fires.delete(firing);
        this.#atOnce -= 1;
        const left = (this.#firing.get(tenant) ?? 1) - 1;
        if (left === 0) this.#firing.delete(tenant);
        else this.#firing.set(tenant, left);
        if (atOnce - this.#atOnce === room || left === ofTenant - 1) this.wake();
      });
    this.#fires.add(firing);
  }

  async #fire(schedule: Timed<K>): Promise<void> {
    const fired = await this.deps.fire(schedule);
    if (fired.kind === 'gone') return this.deps.gone(schedule);
    await new Promise<void>((settle) => {
      this.#done.push({ advance: fired.advance, settle });
      void this.#flush();
    });
  }

  /** Writes one batch at a time; the next one is collected meanwhile. */
  async #flush(): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    while (this.#done.length > 0) {
      const batch = this.#done;
      this.#done = [];
      const done = batch.map(({ advance }) => advance);
      try {
        await this.deps.claims.advance(done);
        await this.deps.grown(done);
      } catch (error) {
        // The claims expire and the slots are repeated, which starts no run twice.
        this.deps.warn(`${batch.length} schedules could not go on: ${errorMessage(error)}`);
      }
      for (const { settle } of batch) settle();
    }
    this.#flushing = false;
  }
}
