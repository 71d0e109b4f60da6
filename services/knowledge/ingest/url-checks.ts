import { backoffCeilingMs } from '../../../lib/backoff';
import type { UrlSource } from '../models';

const DAY_MS = 86_400_000;

/** The source after a successful fetch; schedules the next check. Pure. */
export const afterCheck = (source: UrlSource, now: Date): UrlSource => ({
  ...source,
  checked_at: now,
  next_check_at: source.refresh_ms === null ? null : new Date(now.getTime() + source.refresh_ms),
  failures: 0,
  failure: null,
});

/**
 * The source after a failed fetch or ingest. Checks back off exponentially from the refresh interval, up to a day, and
 * never run more often than the interval. Pure.
 */
export function afterFailedCheck(source: UrlSource, { message }: { readonly message: string }, now: number): UrlSource {
  const { refresh_ms, failures } = source;
  const failed = { ...source, failures: failures + 1, failure: message };
  if (refresh_ms === null) return { ...failed, next_check_at: null };
  const pause = Math.max(refresh_ms, backoffCeilingMs({ firstMs: refresh_ms, maxMs: DAY_MS }, failures + 1));
  return { ...failed, next_check_at: new Date(now + pause) };
}

/** Drops the HTTP validators of a content that could not be ingested, so that the next fetch is unconditional. Pure. */
export const withoutValidators = (source: UrlSource): UrlSource => ({ ...source, etag: null, last_modified: null });
