import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { Advance, Claims, Room } from './claims';
import type { Timer } from './contract';
import type { Fired } from './firing';
import type { Timed } from './store';

/** How much a pump has under way. */
export interface PumpBounds {
  readonly atOnce: number;
  /** What is slow for one tenant must leave room for the others. */
  readonly ofTenant: number;
  /** New claims are made when this much room is there, so that each one is worth its questions. */
  readonly room: number;
}

/** Most of one claim: the built-in store looks up at most 400 keys at a time, and reads everything for more. */
const MOST_CLAIMED = 200;
/** After a claim, what falls due meanwhile gathers for this long: a claim of many costs as much as a claim of one. */
const GATHER_MS = 20;
/** A schedule that came to be elsewhere is seen within this time. */
const POLL_MS = 500;
const RETRY_MS = 1_000;

/** What the pump needs of the service around it. */
export interface PumpDeps<K extends Timer['kind']> {
  readonly claims: Pick<Claims<K>, 'take' | 'nextWake' | 'advance'>;
  readonly clock: Clock;
  readonly bounds: PumpBounds;
  readonly fire: (timed: Timed<K>) => Promise<Fired>;
  /** The schedule's workflow is gone. */
  readonly gone: (timed: Timed<K>) => Promise<void>;
  /** The ledgers of these schedules have grown. */
  readonly grown: (done: readonly Advance[]) => Promise<void>;
  readonly warn: (message: string) => void;
}

/** Claims schedules as they fall due, fires them side by side, and lets them go on, in batches. */
export class Pump<K extends Timer['kind']> {
  readonly #firing = new Map<string, number>();
  #atOnce = 0;
  #done: { advance: Advance; settle: () => void }[] = [];
  #flushing = false;
  #turning: Promise<void> | null = null;
  #again = false;
  #cancelTimer: (() => void) | null = null;
  #stopped = false;
  readonly #fires = new Set<Promise<void>>();

  constructor(private readonly deps: PumpDeps<K>) {}

  start(): void {
    this.poke();
  }

  /** Claims nothing more, and resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#turning;
    await Promise.all(this.#fires);
  }

  /** Something may be due. */
  poke(): void {
    if (this.#stopped) return;
    if (this.#turning !== null) {
      this.#again = true;
      return;
    }
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#turning = this.#turn()
      .catch((error: unknown) => {
        this.deps.warn(`Schedules cannot be claimed now: ${errorMessage(error)}`);
        return RETRY_MS;
      })
      .then((waitMs) => {
        this.#turning = null;
        if (this.#again) this.#pokeAgain();
        else if (waitMs !== null) this.#pokeIn(waitMs);
      });
  }

  #pokeAgain(): void {
    this.#again = false;
    this.poke();
  }

  #pokeIn(delayMs: number): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.deps.clock.after(delayMs, () => {
      this.#cancelTimer = null;
      this.poke();
    });
  }

  /** One round of claims. Answers when to look again; null when the end of a start will say. */
  async #turn(): Promise<number | null> {
    const { claims, clock, bounds } = this.deps;
    const room = bounds.atOnce - this.#atOnce;
    if (room < bounds.room) return null;
    const tenants = this.#roomOfTenants();
    const most = Math.min(room, MOST_CLAIMED);
    const claimed = await claims.take(clock.now(), most, tenants);
    for (const schedule of claimed) this.#launch(schedule);
    if (claimed.length > 0) return claimed.length < most ? GATHER_MS : 0;
    // Of a tenant who gets no more, the end of one of his starts will say.
    const next = await claims.nextWake(tenants);
    return next === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, next - clock.now()));
  }

  #roomOfTenants(): Room {
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
        // Its claim runs out, and somebody looks again.
        this.deps.warn(`Schedule ${schedule.record._id}: ${errorMessage(error)}`);
      })
      .then(() => {
        this.#fires.delete(firing);
        this.#atOnce -= 1;
        const left = (this.#firing.get(tenant) ?? 1) - 1;
        if (left === 0) this.#firing.delete(tenant);
        else this.#firing.set(tenant, left);
        if (atOnce - this.#atOnce === room || left === ofTenant - 1) this.poke();
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

  /** While a write is under way, the next batch gathers. */
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
        // Their claims run out, and the slots are started again, which starts nothing twice.
        this.deps.warn(`${batch.length} schedules could not go on: ${errorMessage(error)}`);
      }
      for (const { settle } of batch) settle();
    }
    this.#flushing = false;
  }
}
