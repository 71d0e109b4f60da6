import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../lib/clock';

const RESOLUTION_MS = 20;
const WINDOW_MS = 60_000;
const NS_PER_MS = 1e6;

/** The delay of this process's event loop, over a window that is at least one and at most two minutes long. */
export class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #before = 0;
  #cancel: () => void = () => {};

  constructor(private readonly clock: Clock) {}

  start(): void {
    this.#histogram.enable();
    const turn = (): void => {
      this.#before = this.#current();
      this.#histogram.reset();
      this.#cancel = this.clock.after(WINDOW_MS, turn);
    };
    this.#cancel = this.clock.after(WINDOW_MS, turn);
  }

  stop(): void {
    this.#cancel();
    this.#histogram.disable();
  }

  /** The 99th percentile in milliseconds. */
  get p99Ms(): number {
    return Math.round(Math.max(this.#before, this.#current()) * 10) / 10;
  }

  /** The histogram contains the timer's period; only the excess is delay. */
  #current(): number {
    if (this.#histogram.count === 0) return 0;
    return Math.max(0, this.#histogram.percentile(99) / NS_PER_MS - RESOLUTION_MS);
  }
}
