const DAY_MS = 24 * 3_600_000;

/** Repeated deliveries must find their run for three days, so no run is removed earlier than this. */
const MIN_RETENTION_DAYS = 4;

/** Trials end with the work on a document. Nothing is delivered to them twice. */
const TRIAL_DAYS = 3;

/** Trials that ended before this instant (epoch milliseconds) are removed, whatever the plan says. Pure. */
export const trialCutoffOf = (now: number): number => now - TRIAL_DAYS * DAY_MS;

/** The longer retention of the plan and of the grace period of the previous plan, in days. Pure. */
export function longest(plan: number | null, grace: number | null): number | null {
  return plan === null || plan === 0 || grace === null ? null : Math.max(plan, grace);
}

/**
 * Runs that ended before this instant (epoch milliseconds) have expired; null: runs never expire. The operator's setting
 * takes precedence over the plan. 0, and null for a plan, mean no limit. Pure.
 */
export function cutoffOf(now: number, planDays: number | null, operatorDays: number | null): number | null {
  const days = operatorDays ?? planDays;
  return days === null || days === 0 ? null : now - Math.max(days, MIN_RETENTION_DAYS) * DAY_MS;
}
