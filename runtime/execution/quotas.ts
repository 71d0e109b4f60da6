/**
 * Steps that share a connection with limits, on all hosts. Owns: who uses it, and who waits. Does not own: the waits of steps.
 *
 *  Q1  A step begins to use the connection only when the quota has recorded it: never more than its rate, nor more than
 *      `concurrency` at a time.
 *  Q2  Steps are admitted in the order in which they asked first.
 *  Q3  A use ends with its attempt. It names the claim of its run, outside of which it does not count: it ends with the
 *      run and with the host, too.
 *  Q4  A run is stored, and marked for versions that know the wait, before it asks.
 *
 * Crash windows: between an admission and the intent of the step, the start counts, and the next owner asks again.
 * Between the end of an attempt and its release, a waiter finds that the run is not under this claim any more.
 */
import type { Clock } from '../../lib/clock';
import { KeyedMutex } from '../../lib/keyed-mutex';
import {
  askQuota,
  type ConnectionLimits,
  type ConnectionRequester,
  type ConnectionUse,
  type Quota,
  type QuotaAnswer,
  releaseQuota,
  withoutGone,
} from '../core/decide/quota';
import type { QuotaStore } from '../ports/quota-store';

/** Tries against other hosts before this one waits. */
const MAX_TRIES = 5;
/** Pause of a host that has lost all of them, or that the store does not answer. */
const RETRY_MS = 200;
/** How long a quota is kept after its last write: longer than any step takes. */
const KEPT_MS = 30 * 86_400_000;
/** Number of tries of a release; after that the use ends with the claim. */
const MAX_RELEASES = 300;

interface QuotasDeps {
  readonly quotas: QuotaStore;
  readonly clock: Clock;
  /** Runs may have become due. */
  readonly poke: () => void;
  readonly onFault: (fault: unknown) => void;
}

export class Quotas {
  /** Steps on this host wait for each other here, instead of competing in the database. */
  readonly #turns = new KeyedMutex();
  #writes = 0;

  constructor(private readonly deps: QuotasDeps) {}

  /** Marks a stored run before it asks (Q4). */
  mark(run: string): Promise<void> {
    return this.deps.quotas.mark(run);
  }

  /** Null when the step may begin, else when it is to ask again. @throws what the store throws */
  ask(connection: string, limits: ConnectionLimits, asking: ConnectionRequester): Promise<number | null> {
    const { clock } = this.deps;
    return this.#change(connection, asking, async (quota) => {
      const answer = askQuota(quota, limits, asking, clock.now());
      if (answer.due === null || quota.uses.length + quota.waiters.length === 0) return answer;
      // Perhaps for what does not use it any more.
      const runs = [...new Set([...quota.uses, ...quota.waiters].map(({ run }) => run))];
      return askQuota(withoutGone(quota, await this.deps.quotas.running(runs)), limits, asking, clock.now());
    });
  }

  /** Ends a use, and retries until the store answers. Never throws. */
  async release(
    connection: string,
    limits: ConnectionLimits,
    use: ConnectionUse,
    isHere: () => boolean,
  ): Promise<void> {
    const { clock, onFault } = this.deps;
    if (limits.concurrency === null) return;
    for (let tries = 0; tries < MAX_RELEASES && isHere(); tries++) {
      try {
        await this.#change(connection, use, async (quota) => {
          const holds = quota.uses.some(({ id, epoch, n }) => id === use.id && epoch === use.epoch && n === use.n);
          return holds ? releaseQuota(quota, limits, [use.id], clock.now()) : null;
        });
        return;
      } catch (fault) {
        onFault(fault);
        await this.#pause(Math.min(5_000, RETRY_MS * 2 ** tries));
      }
    }
  }

  /** Replaces the quota by what `change` makes of it; null: it stays. Returns when the step is due. */
  #change(
    connection: string,
    { id, epoch }: ConnectionUse,
    change: (quota: Quota) => Promise<QuotaAnswer | null>,
  ): Promise<number | null> {
    const { quotas, clock } = this.deps;
    return this.#turns.run(connection, async () => {
      for (let tries = 1; ; tries++) {
        const before = await quotas.read(connection);
        const answer = await change(before.quota);
        if (answer === null) return null;
        const now = clock.now();
        const revision = `${id} ${epoch} ${++this.#writes}`;
        if (await quotas.write(connection, before, answer.quota, revision, now + KEPT_MS)) {
          await this.#wake(id, answer);
          return answer.due;
        }
        if (tries % MAX_TRIES === 0) await this.#pause(RETRY_MS);
      }
    });
  }

  async #wake(id: string, { woken }: QuotaAnswer): Promise<void> {
    const { quotas, clock, poke, onFault } = this.deps;
    const others = woken.filter((waiter) => waiter.id !== id);
    try {
      for (const { run, due } of others) await quotas.wakeAt(run, due);
    } catch (fault) {
      // They look again by themselves.
      onFault(fault);
    }
    if (others.some(({ due }) => due - clock.now() < RETRY_MS)) poke();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.deps.clock.after(ms, resolve));
  }
}
