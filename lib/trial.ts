/** Trigger types of trials: tests of steps, and runs of documents that are not saved. */
const TRIALS: ReadonlySet<string> = new Set(['test', 'trial']);

/** True for runs that are no part of what a workflow does: they start nothing when they end, and do not count in its health. */
export const isTrial = (triggerType: string): boolean => TRIALS.has(triggerType);

/** Of a query of executions: no trials. */
export const NO_TRIALS = { trigger_type: { $nin: [...TRIALS] } };
