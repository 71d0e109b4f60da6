import { performance } from 'node:perf_hooks';
import { ServerError } from '../bson/error';

/**
 * Work that can be interrupted: it yields when its time slice is over and is resumed later, so that one long scan never
 * holds up the point operations of others. A task that writes is resumed inside a transaction, a fresh one per slice.
 */
export type Task<T> = Generator<void, T, void>;

/** Clock reads cost about as much as a record, so only every so many calls of `due` look. */
const CALLS_PER_LOOK = 32;

/** The time bounds of one operation. */
export class Pace {
  private sliceEndsAt = Number.POSITIVE_INFINITY;
  private calls = 0;
  private killed = false;
  /** Counts slices: what was read in an earlier one may have changed since. */
  slice = 0;

  /** @param deadlineAt on performance.now()'s scale; infinity for no limit */
  constructor(private readonly deadlineAt = Number.POSITIVE_INFINITY) {}

  /** Starts the next slice. @throws ServerError 50 when maxTimeMS is over, 11601 when killed */
  resume(sliceMs: number): void {
    this.sliceEndsAt = performance.now() + sliceMs;
    this.calls = 0;
    this.slice++;
    this.check();
  }

  /** True when the task should yield. Cheap enough to ask once per record. */
  due(): boolean {
    if (++this.calls % CALLS_PER_LOOK !== 0) return false;
    this.check();
    return performance.now() >= this.sliceEndsAt;
  }

  /** @throws ServerError 50 when maxTimeMS is over, 11601 when killed */
  check(): void {
    if (this.killed) throw new ServerError('Interrupted', 'operation was interrupted');
    if (performance.now() >= this.deadlineAt)
      throw new ServerError('MaxTimeMSExpired', 'operation exceeded time limit');
  }

  /** Milliseconds until maxTimeMS is over. */
  get leftMs(): number {
    return Math.max(0, this.deadlineAt - performance.now());
  }

  /** Makes the next look at the clock end the operation with code 11601. */
  kill(): void {
    this.killed = true;
  }
}

/** Runs a task to its end at once: for start-up and for tests. */
export function runNow<T>(task: Task<T>): T {
  for (;;) {
    const step = task.next();
    if (step.done === true) return step.value;
  }
}
