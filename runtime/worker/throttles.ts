/**
 * Throttles: of the runs that share a window, at most `limit` start in any period. Owns: which run is admitted, and when a
 * waiting one looks again. Does not own: claims, and the execution of runs.
 *
 *  W1  A run begins after it was admitted; never more than the rate allows are.
 *  W2  A run is admitted when those before it could be at the same moment: nothing overtakes a run that has to wait. While
 *      one is recorded as waiting, new runs are stored first.
 *  W3  A waiting run is due when its turn is expected, and tries again from time to time; each admission of a waiting run
 *      wakes the next one in time.
 *  W4  A run that is about to end (cancelled, or past its deadline), or cleans up, needs no admission.
 *
 * Crash windows: a run that was admitted and not stored has used a start; a repeat of its start finds that. Between an
 * admission and its record in the run's document, the next host finds the run in the window, or admits it again if its start
 * counts no more. A run that was stored and not recorded as waiting may be overtaken until it is claimed.
 */
import type { Clock } from '../../lib/clock';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { isOverdue } from '../core/decide/overdue';
import {
  type Admitted,
  mayStart,
  reachOf,
  startBehind,
  type StartRate,
  type Throttle,
  turnsOf,
  withStart,
} from '../core/decide/throttle';
import type { Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';
import type { StartWindow, WindowStore, WindowWaiter } from '../ports/window-store';

/** Waiting runs whose turns are computed; those behind look again later. */
const MAX_NEAR = 100;
/** The longest time until a waiting run looks again. */
const MAX_PAUSE_MS = 300_000;
/** Waiting runs that each admission wakes in time. */
const MAX_WOKEN = 20;
/** Tries against other hosts that admit runs of the same window. */
const MAX_TRIES = 5;
/** A run that has lost all of them tries again after this time. */
const CONTENDED_MS = 200;
/** Polls find what is due later. */
const SOON_MS = 1_000;

interface ThrottlesDeps {
  readonly store: Pick<RunStore, 'release' | 'load'>;
  readonly windows: WindowStore;
  readonly clock: Clock;
  /** Runs may have become due. */
  readonly poke: () => void;
}

type Starting = Pick<Execution, 'id' | 'throttle'>;

/** True for a run that has to be admitted before it begins. */
export const isHeldBack = (throttle: Throttle | undefined): throttle is Throttle =>
  throttle !== undefined && !throttle.passed;

export class Throttles {
  /** Runs of a window wait for each other here, instead of competing in the database. */
  readonly #turns = new KeyedMutex();

  constructor(private readonly deps: ThrottlesDeps) {}

  /** Admits a new run before it is stored; false when it must be stored first, and is admitted when it is claimed. */
  admitForStart({ id, throttle }: Starting): Promise<boolean> {
    if (!isHeldBack(throttle)) return Promise.resolve(true);
    return this.#turns.run(throttle.window, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const window = await this.deps.windows.read(throttle.window);
        if (window.starts.some((start) => start.id === id)) return true;
        const now = this.deps.clock.now();
        if (window.queued || !mayStart(window.starts, throttle, now, [])) return false;
        if ((await this.#admit(id, throttle, window, now, false)) !== null) return true;
      }
      return false;
    });
  }

  /** When a run that is about to be stored is expected to start. */
  async expectedStart({ throttle }: Starting): Promise<number> {
    const now = this.deps.clock.now();
    if (!isHeldBack(throttle)) return now;
    const window = await this.deps.windows.read(throttle.window);
    const ahead = window.queued ? ratesOf(await this.#waitersOf(throttle, window)) : [];
    return dueAt(startBehind(window.starts, throttle, now, ahead), ahead.length, now);
  }

  /** A new run has been stored without being admitted, or was known. To be awaited before the start is answered. */
  async onStored({ id, throttle }: Starting, result: 'inserted' | 'exists'): Promise<void> {
    const { store, windows, clock } = this.deps;
    if (!isHeldBack(throttle)) return;
    if (result === 'exists' && (await store.load(id))?.status !== 'running') return;
    await windows.markQueued(throttle.window, id, clock.now());
  }

  /** Admits a run that this host has claimed; false when it waits, and has been released. */
  admit(execution: Execution): Promise<boolean> {
    const { throttle, cancelling, cleanupDeadline } = execution;
    const isEnding = cancelling || cleanupDeadline !== null || isOverdue(execution, this.deps.clock.now());
    if (!isHeldBack(throttle) || isEnding) return Promise.resolve(true);
    return this.#turns.run(throttle.window, () => this.#admitInTurn(execution, throttle));
  }

  async #admitInTurn(execution: Execution, throttle: Throttle): Promise<boolean> {
    const { windows, clock } = this.deps;
    const { id } = execution;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const window = await windows.read(throttle.window);
      if (window.starts.some((start) => start.id === id)) return this.#passed(id);
      const waiters = await this.#waitersOf(throttle, window);
      const position = waiters.findIndex((waiter) => waiter.id === id);
      const ahead = ratesOf(position === -1 ? waiters : waiters.slice(0, position));
      const now = clock.now();
      if (!mayStart(window.starts, throttle, now, ahead)) {
        const at = startBehind(window.starts, throttle, now, ahead);
        await this.#requeue(execution, throttle, window.queued, { at, wakeAt: dueAt(at, ahead.length, now) });
        return false;
      }
      const others = waiters.filter((waiter) => waiter.id !== id);
      const starts = await this.#admit(id, throttle, window, now, others.length > 0);
      if (starts === null) continue;
      await this.#passed(id);
      await this.#wakeNext(starts, others);
      return true;
    }
    const at = clock.now() + CONTENDED_MS;
    await this.#requeue(execution, throttle, false, { at, wakeAt: at });
    return false;
  }

  /** Runs that wait for a start of the window, the next one first. */
  async #waitersOf({ window: name }: Throttle, { starts }: StartWindow): Promise<WindowWaiter[]> {
    const admitted = new Set(starts.map(({ id }) => id));
    return (await this.deps.windows.waiters(name, MAX_NEAR)).filter(({ id }) => !admitted.has(id));
  }

  /** The starts with that of the run; null when the window has changed meanwhile. */
  async #admit(
    id: string,
    throttle: Throttle,
    window: StartWindow,
    now: number,
    queued: boolean,
  ): Promise<readonly Admitted[] | null> {
    const isShared = throttle.name !== undefined;
    const reach = reachOf([throttle, ...(isShared && window.reach !== undefined ? [window.reach] : [])]);
    const starts = withStart(window.starts, reach, { id, at: now });
    const after = { starts, queued, ...(isShared ? { reach } : {}) };
    const isAdmitted = await this.deps.windows.admit(throttle.window, window, after, reach.periodMs);
    return isAdmitted ? starts : null;
  }

  async #passed(id: string): Promise<true> {
    await this.deps.windows.pass(id);
    return true;
  }

  /** The next runs are due when their turns come. */
  async #wakeNext(starts: readonly Admitted[], others: readonly WindowWaiter[]): Promise<void> {
    const { windows, clock, poke } = this.deps;
    const now = clock.now();
    let isSoon = false;
    for (const { id, at } of turnsOf(starts, now, others.slice(0, MAX_WOKEN))) {
      isSoon ||= at - now < SOON_MS;
      await windows.wakeAt(id, at);
    }
    if (isSoon) poke();
  }

  /** Releases the run until its turn, which is expected `at` a time. `isQueued`: the window says that runs wait. */
  async #requeue(
    execution: Execution,
    throttle: Throttle,
    isQueued: boolean,
    { at, wakeAt }: { readonly at: number; readonly wakeAt: number },
  ): Promise<void> {
    const { windows, clock, store } = this.deps;
    const { id, owner, epoch, startedAt, deadlineAt, messageSeq } = execution;
    const claim = { id, host: owner as string, epoch };
    const now = clock.now();
    const waiting = [waitOf(throttle, startedAt, at)];
    // First: from here on new runs are stored before they are admitted.
    if (!isQueued) await windows.markQueued(throttle.window, id, now);
    const dueBy = Math.min(wakeAt, deadlineAt ?? Number.POSITIVE_INFINITY);
    const released = await store.release(claim, { messageSeq, wakeAt: dueBy, waiting });
    if (released !== 'new_message') return;
    // Perhaps a cancellation: the next host to claim it will see.
    const counted = (await store.load(id))?.messageSeq ?? messageSeq;
    await store.release(claim, { messageSeq: counted, wakeAt: now, waiting });
  }
}

const ratesOf = (waiters: readonly WindowWaiter[]): StartRate[] => waiters.map(({ rate }) => rate);

/** When a waiting run looks again: at its expected turn, or, with many before it, when one of them wakes it. */
const dueAt = (at: number, ahead: number, now: number): number =>
  Math.min(ahead < MAX_NEAR ? at : Number.POSITIVE_INFINITY, now + MAX_PAUSE_MS);

/** What a run that was not admitted waits for; `until`: when its turn is expected. */
export const waitOf = ({ key, name }: Pick<Throttle, 'key' | 'name'>, since: number, until: number | null) =>
  ({ step_id: null, kind: 'throttle', name: key === '' ? (name ?? null) : key, since, until }) as const;
