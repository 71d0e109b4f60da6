/**
 * A calendar month in UTC, the period of quotas. Bounds are epoch milliseconds; `end` is the start of the next month.
 */
export interface Month {
  /** Such as `2026-11`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

let latest: Month = { name: '', start: 0, end: 0 };

/** The month of a time. The latest answer is kept: it is asked for each run. */
export function monthOf(now: number): Month {
  if (now < latest.start || now >= latest.end) latest = computed(now);
  return latest;
}

function computed(now: number): Month {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = Date.UTC(year, month);
  return { name: new Date(start).toISOString().slice(0, 7), start, end: Date.UTC(year, month + 1) };
}
