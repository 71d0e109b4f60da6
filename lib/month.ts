/** A calendar month in UTC: what quotas are counted by. Both ends are epoch milliseconds; `end` is the next one's start. */
export interface Month {
  /** Such as `2026-11`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The month of an instant. Pure. */
export function monthOf(now: number): Month {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = Date.UTC(year, month);
  return { name: new Date(start).toISOString().slice(0, 7), start, end: Date.UTC(year, month + 1) };
}
