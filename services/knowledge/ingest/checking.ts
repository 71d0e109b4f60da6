import { backoffCeilingMs } from '../../../lib/backoff';
import type { UrlSource } from '../models';

const DAY_MS = 86_400_000;

/** An address whose content is as it should be. Pure. */
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

/** An address whose newest content could not be taken: the server must not be asked whether it still has that. Pure. */
export const unknownOf = (source: UrlSource): UrlSource => ({ ...source, etag: null, last_modified: null });
