/** Maximum pause that a server may request: a wrong Retry-After must not park a run for years. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Parses a Retry-After header, in seconds or as an HTTP date (RFC 9110 section 10.2.3), into milliseconds; or null. */
export function parseRetryAfter(text: string, now: number): number | null {
  const trimmed = text.trim();
  const ms = /^\d+$/.test(trimmed)
    ? Number(trimmed) * 1_000
    : trimmed.endsWith(' GMT')
      ? Date.parse(trimmed) - now
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
