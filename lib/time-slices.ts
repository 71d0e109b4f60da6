import { INTERNAL, fairScheduler } from './fair-scheduler';

/** How long one task may hold the main thread before it yields. */
const SLICE_MS = 10;

/** Resolves when the key gets its next slice of the main thread; keys share it fairly (`fair-scheduler.ts`). */
export const nextTurn = (key = INTERNAL): Promise<void> => fairScheduler.next(key);

/** Runs work that yields between small pieces to its end, without pauses. */
export function runAtOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The same, yielding the thread between slices. */
export async function runSliced<T>(work: Generator<void, T>, key = INTERNAL): Promise<T> {
  const slice = new TimeSlice(key);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.due) await slice.pause();
  }
}

/** What `make` makes of each item, in order; `key` as of `TimeSlice`. */
export async function mapSliced<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  key: string,
  make: (item: T) => R,
): Promise<R[]> {
  const slice = new TimeSlice(key);
  const made: R[] = [];
  for await (const item of items) {
    if (slice.due) await slice.pause();
    made.push(make(item));
  }
  return made;
}

/** The slices of one task. Check `due` between small pieces of work, and await `pause` when it is true. */
export class TimeSlice {
  #until = performance.now() + SLICE_MS;

  /** `key`: the tenant or client for whom the task is done. */
  constructor(readonly key = INTERNAL) {}

  get due(): boolean {
    return performance.now() >= this.#until;
  }

  async pause(): Promise<void> {
    await nextTurn(this.key);
    this.#until = performance.now() + SLICE_MS;
  }
}
