const DAY_MS = 24 * 3_600_000;

/** A delivery that comes again finds the run that it has started for three days; nothing goes before. */
const LEAST_DAYS = 4;

/** The longer of what a plan keeps, and what the plan before it still keeps by its grace, in days. Pure. */
export function longest(plan: number | null, grace: number | null): number | null {
  return plan === null || plan === 0 || grace === null ? null : Math.max(plan, grace);
}

/**
 * The instant before which runs must have ended to be over their history, in epoch milliseconds; null: none ever is. What
 * the operator says goes before what the plan says; 0, and null of a plan, mean for ever. Pure.
 */
export function cutoffOf(now: number, planDays: number | null, operatorDays: number | null): number | null {
  const days = operatorDays ?? planDays;
  return days === null || days === 0 ? null : now - Math.max(days, LEAST_DAYS) * DAY_MS;
}
