import { type Clock, systemClock } from '../../lib/clock';

/** The system's clock plus the sum of all leaps. Timers keep the system's time. */
export class LeapingClock implements Clock {
  #ahead = 0;
  readonly after = systemClock.after;
  now = (): number => systemClock.now() + this.#ahead;
  leap(ms: number): void {
    this.#ahead += ms;
  }
}
