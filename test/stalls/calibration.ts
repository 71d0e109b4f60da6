import type { Target } from './target';

/** Maximum time that the event loop may be blocked, on a machine as fast as at the beginning of the run. */
export const MAX_STRETCH_MS = 50;

const LOOP_MS = 20;
const FIRST_ROUNDS = 200_000;
const TRIES = 5;

/**
 * A loop on the server's main thread that took 20 ms at the beginning. Processors are shared and change their clock, so
 * the bound of a finding is stretched by how much longer the same loop takes at that moment.
 */
export class Calibration {
  private constructor(
    private readonly target: Target,
    private readonly rounds: number,
  ) {}

  static async of(target: Target): Promise<Calibration> {
    let rounds = FIRST_ROUNDS;
    // Compiled code of the first tries is slower, and a short loop says little: three steps are enough to get there.
    for (let step = 0; step < 3; step++)
      rounds = Math.round((rounds * LOOP_MS) / Math.max(1, await best(target, rounds)));
    return new Calibration(target, rounds);
  }

  /** The bound as of now, in milliseconds. */
  async bound(): Promise<number> {
    const tookMs = await best(this.target, this.rounds);
    return MAX_STRETCH_MS * Math.max(1, tookMs / LOOP_MS);
  }

  /** Holds the main thread for about as long as given. */
  hold(ms: number): Promise<unknown> {
    return this.target.spin(Math.round((this.rounds * ms) / LOOP_MS));
  }
}

async function best(target: Target, rounds: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES; n++) least = Math.min(least, await target.spin(rounds));
  return least;
}
