import { parseDuration } from '../../lib/duration';
import type { NodeContext } from '../contract';

/**
 * Until when a step waits for external input: epoch milliseconds from the config's `timeout`, null without one.
 * `invalid` when the timeout is no duration.
 */
export function deadlineOf({ input, now }: NodeContext): number | null | 'invalid' {
  if (input.timeout === undefined || input.timeout === null) return null;
  const ms = parseDuration(input.timeout);
  return ms === null ? 'invalid' : now + ms;
}

export const INVALID_TIMEOUT = '"timeout" must be a duration of at most 100 years, as 3d';
