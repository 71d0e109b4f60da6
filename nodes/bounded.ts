import { EgressError } from '../lib/egress';

/** What setTimeout can hold; more would fire at once. */
const MAX_TIMER_MS = 0x7fffffff;

/**
 * What `work` answers, unless the step is aborted or the time is over first: then its signal tells it to stop, and it is
 * not waited for. The signal comes in any case at the end, so that nothing stays open. Throws EgressError `aborted` or
 * `timeout`, and what the work throws.
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
