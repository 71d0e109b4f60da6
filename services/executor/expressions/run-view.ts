import { blockOf, blocksOf, type PreparedPlan, placedSteps, stepIdOf, addressOf } from '../../../dsl';
import { isObject, type JsonObject } from '../../../lib/json';
import { TimeSlice } from '../../../lib/time-slices';
import type { Entry } from '../../../runtime/core/entries/entry';
import { apply } from '../../../runtime/core/state/fold';
import { emptyState, type RunState } from '../../../runtime/core/state/state';

/** A position in the history of a run, from which the data of the run is seen. */
interface Position {
  /** In the run; empty: outside of all steps. */
  readonly path: string;
  /** The number of entries before it. */
  readonly before: number;
}

/**
 * Where a step sees the run from: before its first entry. A step that the run does not have sees what the steps of its
 * list in the document `dsl` see; one without those, and no step, the end of the run. In a loop, a bare id names the
 * first item that reached the step.
 */
export function positionOf(
  plan: PreparedPlan,
  entries: readonly Entry[],
  named: string | undefined,
  dsl: JsonObject | undefined,
): Position {
  const all = { path: '', before: entries.length };
  if (named === undefined) return all;
  const path = pathOf(entries, named);
  if (path !== null) return { path, before: entries.findIndex((entry) => 'path' in entry && entry.path === path) };
  const planned = [...plan.byPath.values()].find(({ def }) => def.id === named)?.path;
  if (planned !== undefined && !isInLoop(planned)) return { ...all, path: planned };
  const sibling = siblingsOf(dsl, plan, named)
    .map((id) => pathOf(entries, id))
    .find((found) => found !== null);
  if (sibling === undefined || sibling === null) return all;
  const block = `${blockOf(sibling)}/`;
  const last = entries.findLastIndex((entry) => 'path' in entry && entry.path.startsWith(block));
  return { path: sibling, before: block === '/' ? entries.length : last + 1 };
}

/** The path in the run of the first step that is called so. */
function pathOf(entries: readonly Entry[], named: string): string | null {
  for (const entry of entries) {
    if (!('path' in entry)) continue;
    const { path } = entry;
    if (stepIdOf(path) === named || (named.startsWith(`${stepIdOf(path)}.`) && addressOf(path) === named)) return path;
  }
  return null;
}

const isInLoop = (planned: string): boolean => planned.includes('/steps');

/** Ids of the other steps in the list of a step: of the document, else of the plan. */
function siblingsOf(dsl: JsonObject | undefined, plan: PreparedPlan, id: string): string[] {
  const planned = [...plan.byPath.values()].find(({ def }) => def.id === id)?.path;
  if (planned !== undefined)
    return [...plan.byPath.values()].flatMap(({ def, path }) => (blockOf(path) === blockOf(planned) ? [def.id] : []));
  if (dsl === undefined) return [];
  const holders = [dsl, ...[...placedSteps(dsl)].map(({ step }) => step)];
  const lists = holders.flatMap((holder) => blocksOf(holder).map(({ steps }) => steps));
  const list = lists.find((steps) => steps.some((step) => isObject(step) && step.id === id)) ?? [];
  return list.flatMap((step) => (isObject(step) ? [String(step.id)] : []));
}

/** The state of a run after its first entries, in slices of time. */
export async function stateAfter(entries: readonly Entry[], count: number, tenantId: string): Promise<RunState> {
  const state = emptyState();
  const slice = new TimeSlice(tenantId);
  for (const entry of entries.slice(0, count)) {
    apply(state, entry);
    if (slice.due) await slice.pause();
  }
  return state;
}
