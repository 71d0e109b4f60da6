import type { JsonObject } from '../lib/json';

/** The output that a trial pins to a step which would change something outside. */
export const suppressedOutput = (type: string): JsonObject => ({
  suppressed: true,
  step_type: type,
  reason: `This step did not run: "${type}" may change something outside, and the trial suppresses that. Pin an output to try the steps after it.`,
});

/** True for such an output. */
export const isSuppressed = (pin: JsonObject | undefined): boolean =>
  pin?.suppressed === true && typeof pin.step_type === 'string';
