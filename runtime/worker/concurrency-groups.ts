/**
 * Concurrency groups: of the runs with one concurrency key, at most `limit` run at once. Owns: who holds a permit. Does
 * not own: claims, and the execution of runs.
 *
 *  K1  Between its first decision and its end a run holds a permit, whichever hosts execute it and however long it
 *      waits; never more than `limit` runs hold one.
 *  K2  Permits are granted in the order of the starts.
 *  K3  A permit is released by the outbox of the ended run, which wakes the next waiter; a refused run releases permits
 *      of ended runs, and retries from time to time.
 *  K4  A run that an ancestor with a permit waits for runs under that permit and acquires none: it would wait for its
 *      own ancestor.
 *  K5  A run that is about to end (cancelled, or past its deadline), or cleans up after its end was decided, needs no
 *      permit; if it has begun, it holds one.
 *
 * Crash windows: between an end and the release of its permit, a sweep releases it. Between a refusal and the release
 * of the run, the run is claimed again once its host is dead.
 */
import type { Clock } from '../../lib/clock';
import {
  conflict,
  type Group,
  isNear,
  mayAcquire,
  nextOf,
  olderThan,
  replaced,
  abandoned,
} from '../core/decide/permits';
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

/** The result for a claimed run: run, end with an error, or wait; then it has been released. */
export type PermitResult = { kind: 'granted' } | { kind: 'refused'; error: RunError } | { kind: 'waiting' };

const GRANTED: PermitResult = { kind: 'granted' };

export class ConcurrencyGroups {
  constructor(private readonly deps: ConcurrencyGroupsDeps) {}

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
    const { concurrency, cancelling, deadlineAt, cleanupDeadline } = execution;
    const isOverdue = deadlineAt !== null && deadlineAt <= this.deps.clock.now();
    if (concurrency === null || cancelling || isOverdue || cleanupDeadline !== null) return GRANTED;
    if (await this.#hasAncestorWithPermit(execution, concurrency.group)) return GRANTED;
    if ((await this.#tryAcquire(execution, concurrency)) || (await this.#tryAcquireAbandoned(execution, concurrency)))
      return GRANTED;
    if (concurrency.onConflict === 'skip') return { kind: 'refused', error: conflict(concurrency) };
    if (concurrency.onConflict === 'cancel_running') await this.#cancelOthers(execution, concurrency);
    await this.#requeue(execution, concurrency);
    return { kind: 'waiting' };
  }

  async #isRunning(executionId: string): Promise<boolean> {
    return (await this.deps.store.load(executionId))?.status === 'running';
  }

  /** Releases the permit of an ended run, and wakes the next waiters. */
  async release(executionId: string, group: string, limit: number): Promise<void> {
    await this.deps.groups.release(group, [executionId]);
    await this.#wakeNext(group, limit);
  }

  async #tryAcquire({ id }: Execution, { group, limit }: Concurrency): Promise<boolean> {
    const state = await this.#read(group, limit);
    if (state.holders.some((holder) => holder.id === id)) return true;
    return mayAcquire(state, id, limit) && this.deps.groups.acquire(group, id, limit, this.deps.clock.now());
  }

  async #tryAcquireAbandoned(execution: Execution, concurrency: Concurrency): Promise<boolean> {
    const { groups, clock } = this.deps;
    const holders = await groups.holders(concurrency.group);
    const free = abandoned(holders, await groups.endedOrAbsent(holders.map(({ id }) => id)), clock.now());
    if (free.length === 0) return false;
    await groups.release(concurrency.group, free);
    return this.#tryAcquire(execution, concurrency);
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

  /** Releases the run until a permit is free. */
  async #requeue(execution: Execution, concurrency: Concurrency): Promise<void> {
    const { id, owner, epoch, startedAt, deadlineAt } = execution;
    const claim = { id, host: owner as string, epoch };
    const waiting = [{ step_id: null, kind: 'slot', name: concurrency.key, since: startedAt, until: null } as const];
    const near = isNear(await this.#read(concurrency.group, concurrency.limit), id, concurrency.limit);
    const pauseMs = near ? NEAR_RETRY_MS : FAR_RETRY_MS;
    const retryAt = Math.min(this.deps.clock.now() + pauseMs, deadlineAt ?? Number.POSITIVE_INFINITY);
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
    const next = nextOf(await this.#read(group, limit), limit);
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
