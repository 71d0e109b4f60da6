import type { Clock } from './clock';

/** When a task runs next; null: only `trigger` or `within` starts another run. */
export interface NextRun {
  readonly inMs: number | null;
}

interface PeriodicTaskOptions {
  readonly clock: Clock;
  /** Longest pause between the end of one run and the start of the next. */
  readonly intervalMs: number;
  /** Pause after a run that failed. Default: the interval. */
  readonly retryMs?: number;
  /** The work. May return when it runs next instead of after the interval. Long work checks `isStopped` on its way. */
  readonly run: () => Promise<NextRun | void>;
  /** Receives what a run throws. The task continues. */
  readonly onError: (error: unknown) => void;
  /** From 0 up to 1; spreads the intervals of processes that started together. */
  readonly random?: () => number;
}

/** The interval is shortened by up to this share of it. */
const JITTER = 0.1;

/** Work that is repeated until the process stops. Runs never overlap, and a run that fails does not end the task. */
export class PeriodicTask {
  #cancelTimer = (): void => {};
  #dueAt = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  #isTriggered = false;
  #isStopped = false;

  constructor(private readonly options: PeriodicTaskOptions) {}

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Schedules a run when none is scheduled. Default: after one interval. */
  start(delayMs = this.#interval()): void {
    if (this.#dueAt === Number.POSITIVE_INFINITY) this.within(delayMs);
  }

  /** Runs now, or once more when the run in progress has ended. */
  trigger(): void {
    if (this.#isStopped) return;
    if (this.#running !== null) this.#isTriggered = true;
    else this.#runNow();
  }

  /** Runs after the delay at the latest. A run that starts earlier replaces it. */
  within(delayMs: number): void {
    const { clock } = this.options;
    const dueAt = clock.now() + Math.max(0, delayMs);
    if (this.#isStopped || dueAt >= this.#dueAt) return;
    this.#cancelTimer();
    this.#dueAt = dueAt;
    this.#cancelTimer = clock.after(delayMs, () => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.trigger();
    });
  }

  /** Resolves when no run is in progress. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Cancels the next run. Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.idle();
  }

  #runNow(): void {
    this.#isTriggered = false;
    this.#cancelTimer();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#running = this.#runOnce().then((pauseMs) => {
      this.#running = null;
      if (this.#isTriggered) this.trigger();
      else if (pauseMs !== null) this.within(pauseMs);
    });
  }

  async #runOnce(): Promise<number | null> {
    const { run, onError, retryMs } = this.options;
    try {
      const next = await run();
      return next === undefined ? this.#interval() : next.inMs;
    } catch (error) {
      onError(error);
      return retryMs ?? this.#interval();
    }
  }

  #interval(): number {
    const { intervalMs, random = Math.random } = this.options;
    return intervalMs * (1 - JITTER * random());
  }
}
