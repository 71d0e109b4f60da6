import { performance } from 'node:perf_hooks';
import { ServerError } from '../bson/error';

/**
 * Interruptible work: it yields when its time slice is over and is resumed later, so that a long scan does not delay
 * others' point operations. A writing task is resumed in a new transaction per slice.
 */
export type Task<T> = Generator<void, T, void>;

/** A clock read costs about as much as a record, so `due` checks only every so many calls. */
const CALLS_PER_CHECK = 32;

/** The time limits of one operation. */
export class TimeSlice {
  private sliceEndsAt = Number.POSITIVE_INFINITY;
  private calls = 0;
  private killed = false;
  /** Number of slices: what an earlier one read may have changed. */
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

  /** True when the task should yield. Cheap enough for every record. */
  due(): boolean {
    if (++this.calls % CALLS_PER_CHECK !== 0) return false;
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

  /** Ends the operation with code 11601 at its next time check. */
  kill(): void {
    this.killed = true;
  }
}
