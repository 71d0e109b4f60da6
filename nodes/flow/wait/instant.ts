const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Epoch milliseconds of a date and time with an offset (RFC 3339 section 5.6), or null. Leap seconds are not taken. */
export function parseInstant(text: string): number | null {
  const upper = text.trim().toUpperCase();
  const match = RFC3339.exec(upper);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // Date.parse rolls February 30 over into March.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const at = Date.parse(upper);
  return Number.isNaN(at) ? null : at;
}
