/** Time as a dependency: the system clock in production, a manual one in tests. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Calls `fire` once after `delayMs`; the returned function cancels it. Does not keep the process running. */
  after(delayMs: number, fire: () => void): () => void;
}

const MAX_TIMEOUT_MS = 0x7fffffff;

/** The system clock. Chains delays longer than setTimeout supports (24.8 days). */
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
