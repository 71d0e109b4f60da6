const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|[smhdw])/g;

/** Maximum duration: 100 years. */
export const MAX_DURATION_MS = 100 * 365 * 86_400_000;

/**
 * Parses `500ms`, `30s`, `1h30m`, `7d` or a number of seconds into milliseconds; null for other values, negative ones,
 * and those above MAX_DURATION_MS.
 */
export function parseDuration(value: unknown): number | null {
  const ms =
    typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? parseText(value.trim()) : Number.NaN;
  return Number.isFinite(ms) && ms >= 0 && ms <= MAX_DURATION_MS ? Math.round(ms) : null;
}

function parseText(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (text.length > 64 || !WHOLE.test(text)) return Number.NaN;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit as string] as number);
  return total;
}
