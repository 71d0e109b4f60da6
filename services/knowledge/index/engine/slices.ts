/** Longer than this nothing goes on without letting others have their turn; milliseconds. */
const SLICE_MS = 4;
/** How often it pays to look at the clock. */
const LOOKS = 256;

/** Thrown out of work that nobody waits for any more. */
export class Abandoned extends Error {}

/** One piece of work among others in a thread: it gives way now and then, and ends when it is abandoned. */
export class Slices {
  #until = performance.now() + SLICE_MS;
  #steps = 0;
  #abandoned = false;

  abandon(): void {
    this.#abandoned = true;
  }

  /** Whether the time is up; call `pause` then. For small steps, of which only some look at the clock. */
  get due(): boolean {
    this.#steps += 1;
    return this.#steps % LOOKS === 0 && this.over;
  }

  /** The same, for steps of a millisecond or so. */
  get over(): boolean {
    return performance.now() > this.#until;
  }

  /** Lets others have their turn. @throws Abandoned */
  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#abandoned) throw new Abandoned();
    this.#until = performance.now() + SLICE_MS;
  }
}
