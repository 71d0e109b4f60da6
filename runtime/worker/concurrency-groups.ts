/**
 * Concurrency groups: of the runs with one concurrency key, at most `limit` run at once. Owns: who holds a permit. Does
 * not own: claims, and the execution of runs.
 *
 *  K1  Between its first decision and its end a run holds a permit, whichever hosts execute it and however long it
 *      waits; never more than `limit` runs hold one.
 *  K2  Permits are granted in the order of the starts: a run whose start was answered has been stored, and recorded as
 *      waiting, before; while one is, new runs get no permit before they are stored.
 *  K3  A permit is released by the outbox of the ended run, which wakes the next waiter; a refused run releases permits
 *      of ended runs, and retries from time to time.
 *  K4  A run that an ancestor with a permit waits for runs under that permit and acquires none: it would wait for its
 *      own ancestor.
 *  K5  A run that is about to end (cancelled, or past its deadline), or cleans up after its end was decided, needs no
 *      permit; if it has begun, it holds one.
 *
 *  K6  A permit names the host that acquired it before it stored the run. While that host acts, the permit is the
 *      run's; what a dead host has not stored by then is never executed under it.
 *
 * Crash windows: between an end and the release of its permit, a sweep releases it. Between a refusal and the release
 * of the run, the run is claimed again once its host is dead. Between a permit and the first write of its run, the next
 * run that is refused releases it, once the host is dead.
 */
import type { Clock } from '../../lib/clock';
import {
  conflict,
  type Group,
  isNear,
  mayAcquire,
  MAX_UNSTORED_MS,
  nextOf,
  noneWaits,
  olderThan,
  replaced,
  abandoned,
} from '../core/decide/permits';
import { isOverdue } from '../core/decide/overdue';
import { parentEnded } from '../core/decide/children';
import { cancelMessage } from '../core/decide/waits';
import type { RunError } from '../core/entries/entry';
import type { GroupStore } from '../ports/group-store';
import type { Concurrency, Execution, Parent } from '../core/model';
import type { RunStore } from '../ports/run-store';
import type { SendMessage } from './outbox';

/** Retry interval of the next waiters. */
const NEAR_RETRY_MS = 30_000;
/**
 * Retry interval of all other waiters: a released permit wakes the next ones, so a long queue need not load the hosts.
 */
const FAR_RETRY_MS = 300_000;
/** Retry interval of the next waiters while a permit holder is not stored: it is about to be, or its host has died. */
const ABSENT_RETRY_MS = 5_000;
/** Runs cancelled at once. */
const MAX_CANCELLED = 100;

interface ConcurrencyGroupsDeps {
  readonly store: Pick<RunStore, 'release' | 'load'>;
  readonly groups: GroupStore;
  readonly clock: Clock;
  readonly sendMessage: SendMessage;
  /** Runs may have become due. */
  readonly poke: () => void;
}

type StartingRun = Pick<Execution, 'id' | 'concurrency'>;

/**
 * Records that a new run of a group waits, after it was stored without a permit: later starts queue behind it. A repeated
 * start does so too, as the first may have been interrupted in between; not one of an ended run, as nothing would remove
 * the record.
 */
export async function recordWaiter(
  {
    store,
    groups,
    clock,
  }: {
    readonly store: Pick<RunStore, 'load'>;
    readonly groups: Pick<GroupStore, 'markQueued'>;
    readonly clock: Clock;
  },
  { id, concurrency }: StartingRun,
  result: 'inserted' | 'exists',
): Promise<void> {
  if (concurrency === null) return;
  if (result === 'exists' && (await store.load(id))?.status !== 'running') return;
  await groups.markQueued(concurrency.group, id, clock.now());
}

/** The result for a claimed run: run, end with an error, or wait; then it has been released. */
export type PermitResult = { kind: 'granted' } | { kind: 'refused'; error: RunError } | { kind: 'waiting' };

const GRANTED: PermitResult = { kind: 'granted' };

export class ConcurrencyGroups {
  constructor(private readonly deps: ConcurrencyGroupsDeps) {}

  /**
   * Acquires a permit for a new run that `host` is about to store. False when it must be stored first, and acquires its
   * permit when it is claimed.
   */
  acquireForStart({ id, concurrency }: StartingRun, host: string): Promise<boolean> {
    if (concurrency === null) return Promise.resolve(true);
    const { group, limit } = concurrency;
    return this.deps.groups.acquireUnlessQueued(group, { id, host }, limit, this.deps.clock.now());
  }

  /** False when the run was stored so long after `acquireForStart`, called at `since`, that its permit may be gone. */
  isStillHeld(since: number): boolean {
    return this.deps.clock.now() - since < MAX_UNSTORED_MS;
  }

  /** The run of an `acquireForStart` was known: if it has ended, its permit is released again. */
  async releaseIfEnded({ id, concurrency }: StartingRun): Promise<void> {
    if (concurrency !== null && !(await this.#isRunning(id)))
      await this.release(id, concurrency.group, concurrency.limit);
  }

  /** A new run has been stored without a permit, or was known. To be awaited before the start is answered. */
  onStored(run: StartingRun, result: 'inserted' | 'exists'): Promise<void> {
    return recordWaiter(this.deps, run, result);
  }

  /**
   * Acquires a permit for a run that this host has claimed. A child whose parent has ended needs none: it is cancelled.
   * The end of a parent cancels the children that it waits for, but a start can arrive later than that.
   */
  async acquire(execution: Execution): Promise<PermitResult> {
    const { id, parent } = execution;
    if (parent?.awaited === true && !(await this.#isRunning(parent.executionId))) {
      await this.deps.sendMessage(id, cancelMessage(this.deps.clock.now(), parentEnded(parent.executionId)));
      return GRANTED;
    }
    const { concurrency, cancelling, cleanupDeadline } = execution;
    const isEnding = cancelling || cleanupDeadline !== null || isOverdue(execution, this.deps.clock.now());
    if (concurrency === null || isEnding) return GRANTED;
    if (await this.#hasAncestorWithPermit(execution, concurrency.group)) return GRANTED;
    if (await this.#tryAcquire(execution, concurrency)) return this.#granted(concurrency);
    const gone = await this.#releaseAbandoned(concurrency.group);
    if (gone.released && (await this.#tryAcquire(execution, concurrency))) return this.#granted(concurrency);
    if (concurrency.onConflict === 'skip') return { kind: 'refused', error: conflict(concurrency) };
    if (concurrency.onConflict === 'cancel_running') await this.#cancelOthers(execution, concurrency);
    await this.#requeue(execution, concurrency, gone.absent ? ABSENT_RETRY_MS : NEAR_RETRY_MS);
    return { kind: 'waiting' };
  }

  /** A run with a smaller limit may have released the permit, and woken fewer than may go on. */
  async #granted({ group, limit, name }: Concurrency): Promise<PermitResult> {
    if (name !== undefined) await this.#wakeNext(group, limit);
    return GRANTED;
  }

  async #isRunning(executionId: string): Promise<boolean> {
    return (await this.deps.store.load(executionId))?.status === 'running';
  }

  /** Releases the permit of an ended run, and wakes the next waiters. */
  async release(executionId: string, group: string, limit: number): Promise<void> {
    const { groups } = this.deps;
    if (await groups.releaseOnly(group, executionId)) return;
    const { holders, queued } = await groups.release(group, [executionId]);
    if (queued === false) return holders.length === 0 ? groups.clearQueued(group, queued) : undefined;
    const state = { holders, waiters: await groups.waiters(group, holders.length + limit) };
    if (noneWaits(state)) await groups.clearQueued(group, queued);
    else await this.#wake(nextOf(state));
  }

  async #tryAcquire({ id }: Execution, { group, limit }: Concurrency): Promise<boolean> {
    const state = await this.#read(group, limit);
    if (state.holders.some((holder) => holder.id === id)) return true;
    return mayAcquire(state, id, limit) && this.deps.groups.acquire(group, id, limit, this.deps.clock.now());
  }

  async #releaseAbandoned(group: string): Promise<{ released: boolean; absent: boolean }> {
    const { groups, clock } = this.deps;
    const holders = await groups.holders(group);
    const gone = await groups.gone(holders);
    const free = abandoned(holders, gone, clock.now());
    if (free.length > 0) await groups.release(group, free);
    return { released: free.length > 0, absent: gone.absent.length > 0 };
  }

  /** True when an ancestor that waits for this run, directly or through other runs, holds a permit. */
  async #hasAncestorWithPermit({ parent }: Execution, group: string): Promise<boolean> {
    if (parent?.awaited !== true) return false;
    const holders = new Set((await this.deps.groups.holders(group)).map(({ id }) => id));
    for (let ancestor: Parent | null = parent; ancestor?.awaited === true; ) {
      if (holders.has(ancestor.executionId)) return true;
      ancestor = (await this.deps.store.load(ancestor.executionId))?.parent ?? null;
    }
    return false;
  }

  async #cancelOthers(execution: Execution, concurrency: Concurrency): Promise<void> {
    const members = await this.deps.groups.waiters(concurrency.group, MAX_CANCELLED);
    const message = cancelMessage(this.deps.clock.now(), replaced(concurrency));
    for (const to of olderThan({ holders: [], waiters: members }, execution)) await this.deps.sendMessage(to, message);
  }

  /** Releases the run until a permit is free; if it is among the next ones, for `nearRetryMs` at most. */
  async #requeue(execution: Execution, concurrency: Concurrency, nearRetryMs: number): Promise<void> {
    const { id, owner, epoch, startedAt, deadlineAt } = execution;
    const claim = { id, host: owner as string, epoch };
    const waiting = [{ step_id: null, kind: 'slot', name: concurrency.key, since: startedAt, until: null } as const];
    const near = isNear(await this.#read(concurrency.group, concurrency.limit), id, concurrency.limit);
    const pauseMs = near ? nearRetryMs : FAR_RETRY_MS;
    const retryAt = Math.min(this.deps.clock.now() + pauseMs, deadlineAt ?? Number.POSITIVE_INFINITY);
    // First: a permit that is released from here on wakes it.
    await this.deps.groups.markQueued(concurrency.group, id, this.deps.clock.now());
    const released = await this.deps.store.release(claim, {
      messageSeq: execution.messageSeq,
      wakeAt: retryAt,
      waiting,
    });
    if (released === 'new_message') {
      // Perhaps a cancellation: the next host to claim it will see.
      const messageSeq = (await this.deps.store.load(id))?.messageSeq ?? execution.messageSeq;
      await this.deps.store.release(claim, { messageSeq, wakeAt: this.deps.clock.now(), waiting });
    }
    // A permit released while this run was still claimed woke no one.
    await this.#wakeNext(concurrency.group, concurrency.limit);
  }

  async #wakeNext(group: string, limit: number): Promise<void> {
    await this.#wake(nextOf(await this.#read(group, limit)));
  }

  async #wake(next: readonly string[]): Promise<void> {
    if (next.length === 0) return;
    await this.deps.groups.wake(next, this.deps.clock.now());
    this.deps.poke();
  }

  /** The permit holders, and the waiters that could be next. */
  async #read(group: string, limit: number): Promise<Group> {
    const holders = await this.deps.groups.holders(group);
    return { holders, waiters: await this.deps.groups.waiters(group, holders.length + limit) };
  }
}
