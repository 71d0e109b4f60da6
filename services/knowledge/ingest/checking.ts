import { backoffCeilingMs } from '../../../lib/backoff';
import type { UrlSource } from '../models';

const DAY_MS = 86_400_000;

/** The state of a URL after a successful check. Pure. */
export const checked = (source: UrlSource, now: Date): UrlSource => ({
  ...source,
  checked_at: now,
  next_check_at: source.refresh_ms === null ? null : new Date(now.getTime() + source.refresh_ms),
  failures: 0,
  failure: null,
});

/**
 * An address that could not be asked, or whose content could not be taken: it is left alone for twice as long each time,
 * a day at most, but never for less than it would be anyway. Pure.
 */
export function unchecked(source: UrlSource, { message }: { readonly message: string }, now: number): UrlSource {
  const { refresh_ms, failures } = source;
  const failed = { ...source, failures: failures + 1, failure: message };
  if (refresh_ms === null) return { ...failed, next_check_at: null };
  const pause = Math.max(refresh_ms, backoffCeilingMs({ firstMs: refresh_ms, maxMs: DAY_MS }, failures + 1));
  return { ...failed, next_check_at: new Date(now + pause) };
}

/** The state of a URL whose newest content was refused: the next request must not be conditional. Pure. */
export const unknownOf = (source: UrlSource): UrlSource => ({ ...source, etag: null, last_modified: null });
