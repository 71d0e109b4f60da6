import { EgressError } from '../lib/egress';

/** Upper limit of setTimeout; a larger value fires at once. */
const MAX_TIMER_MS = 0x7fffffff;

/**
 * Runs `work` with a timeout, and stops waiting for it when the step is aborted. The signal given to `work` is aborted
 * in every case at the end, so that no connection stays open. Throws EgressError `aborted` or `timeout`, or what `work`
 * throws.
 */
export async function bounded<T>(
  step: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const aborted = (): EgressError => new EgressError('aborted', 'the step was aborted');
  if (step.aborted) throw aborted();
  const stop = new AbortController();
  const over = new Promise<never>((_, reject) =>
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as EgressError), { once: true }),
  );
  const onAbort = (): void => stop.abort(aborted());
  const late = (): void => stop.abort(new EgressError('timeout', `no answer within ${timeoutMs} ms`));
  const timer = setTimeout(late, Math.min(timeoutMs, MAX_TIMER_MS));
  step.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(stop.signal), over]);
  } finally {
    clearTimeout(timer);
    step.removeEventListener('abort', onAbort);
    stop.abort(aborted());
  }
}
