/** Time as a parameter: the system's in production, a manual one in tests. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Calls `fire` once after `delayMs`; the answer cancels it. Never keeps the process alive. */
  after(delayMs: number, fire: () => void): () => void;
}

const MAX_TIMEOUT_MS = 0x7fffffff;

/** The real clock. Delays longer than setTimeout can hold (24.8 days) are chained. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, fire) {
    const due = Date.now() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = due - Date.now();
      timer = setTimeout(left > MAX_TIMEOUT_MS ? arm : fire, Math.min(Math.max(left, 0), MAX_TIMEOUT_MS));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
