import { type PreparedStep, stepsUsed } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { Veil } from '../rules/veil';
import type { View } from '../rules/view';

const used = new WeakMap<PreparedStep, { readonly ids: readonly string[] | null }>();

/**
 * What a step sees, with the values of secrets where marks stood. Only those outputs are opened that its configuration
 * reads: to look through all of them for each step would cost as much as the run is long.
 */
export function openedFor(step: PreparedStep, view: View, veil: Veil): View {
  const { ids } = used.get(step) ?? { ids: idsUsed(step) };
  used.set(step, { ids });
  return {
    ...view,
    steps: () => openedSteps(view.steps(), ids, veil),
    loop: () => (veil.open(view.loop() ?? null) as JsonObject | null) ?? undefined,
  };
}

/** By the configuration, and by what its output is cached by. */
function idsUsed({ config, cacheKey }: PreparedStep): readonly string[] | null {
  const [ids, more] = [stepsUsed(config), cacheKey === null ? [] : stepsUsed(cacheKey)];
  return ids === null || more === null ? null : [...ids, ...more];
}

/** All of it as it is now, for a node that asks for the run itself. */
export const openedWhole = (view: View, veil: Veil): JsonObject => ({ ...openedSteps(view.steps(), null, veil) });

function openedSteps(outputs: JsonObject, ids: readonly string[] | null, veil: Veil): JsonObject {
  if (ids === null) return veil.open(outputs) as JsonObject;
  const opened = Object.assign(Object.create(null) as JsonObject, outputs);
  for (const id of ids) if (Object.hasOwn(outputs, id)) opened[id] = veil.open(outputs[id] as Json);
  return opened;
}
