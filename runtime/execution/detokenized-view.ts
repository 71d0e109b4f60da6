import { type PreparedStep, stepsUsed } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { SecretRedactor } from '../core/secrets/secret-redactor';
import type { StepView } from '../core/state/step-view';

const used = new WeakMap<PreparedStep, { readonly ids: readonly string[] | null }>();

/**
 * The view of a step with secret values instead of placeholders. Only outputs that its configuration reads are
 * detokenized: processing all of them for each step would be quadratic in the length of the run.
 */
export function detokenizedView(step: PreparedStep, view: StepView, redactor: SecretRedactor): StepView {
  const { ids } = used.get(step) ?? { ids: idsUsed(step) };
  used.set(step, { ids });
  return {
    error: () => view.error(),
    addressOf: (stepId) => view.addressOf(stepId),
    steps: () => detokenizedSteps(view.steps(), ids, redactor),
    loop: () => (redactor.detokenize(view.loop() ?? null) as JsonObject | null) ?? undefined,
  };
}

/** Ids of steps used by the configuration and the cache key. */
function idsUsed({ config, cacheKey }: PreparedStep): readonly string[] | null {
  const [ids, more] = [stepsUsed(config), cacheKey === null ? [] : stepsUsed(cacheKey)];
  return ids === null || more === null ? null : [...ids, ...more];
}

/** All outputs, for a node that reads the run itself. */
export const detokenizedOutputs = (view: StepView, redactor: SecretRedactor): JsonObject => ({
  ...detokenizedSteps(view.steps(), null, redactor),
});

function detokenizedSteps(outputs: JsonObject, ids: readonly string[] | null, redactor: SecretRedactor): JsonObject {
  if (ids === null) return redactor.detokenize(outputs) as JsonObject;
  const detokenized = Object.assign(Object.create(null) as JsonObject, outputs);
  for (const id of ids) if (Object.hasOwn(outputs, id)) detokenized[id] = redactor.detokenize(outputs[id] as Json);
  return detokenized;
}
