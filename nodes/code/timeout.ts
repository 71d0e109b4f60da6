import { parseDuration } from '../../lib/duration';
import { type Failed, invalidConfig } from '../outcome';

const TIMEOUT_MS = 5_000;
/** A script keeps a thread that others could use. */
const MAX_TIMEOUT_MS = 5 * 60_000;

/** The timeout of a script in milliseconds, or the problem with it. */
export function scriptTimeout(timeout: string | number | undefined): number | Failed {
  const timeoutMs = timeout === undefined ? TIMEOUT_MS : parseDuration(timeout);
  if (timeoutMs !== null && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  return invalidConfig('"timeout" must be a duration above zero and at most 5m, as 10s');
}
