import { addressOf, blockOf, blocksOf, type PreparedPlan, placedSteps, stepIdOf } from '../../../dsl';
import { isObject, type JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { StepIndex } from '../step-index';

/** A position in the history of a run, from which the data of the run is seen. */
export interface Position {
  /** In the run; empty: outside of all steps. */
  readonly path: string;
  /** The record that it is in: those after it do not count. Infinity: the end of the run. */
  readonly record: number;
  /** The entries of that record that count. */
  readonly seen: (entries: readonly Entry[]) => readonly Entry[];
}

const END = { record: Number.POSITIVE_INFINITY, seen: (entries: readonly Entry[]) => entries };

/**
 * Where a step sees the run from: before its first entry. A step that the run does not have sees what the steps of its
 * list in the document `dsl` see; one without those, and no step, the end of the run. In a loop, a bare id names the
 * first item that reached the step. Yields between steps of the run, so that the work can be sliced.
 */
export function* positionOf(
  index: StepIndex,
  named: string | undefined,
  dsl: JsonObject | undefined,
): Generator<void, Position> {
  if (named === undefined) return { ...END, path: '' };
  const path = yield* pathOf(index, [named]);
  if (path !== null) return before(index, path);
  const { plan } = index;
  const planned = [...plan.byPath.values()].find(({ def }) => def.id === named)?.path;
  if (planned !== undefined && !isInLoop(planned)) return { ...END, path: planned };
  const sibling = yield* pathOf(index, siblingsOf(dsl, plan, named));
  if (sibling === null) return { ...END, path: '' };
  const block = blockOf(sibling);
  return block === '' ? { ...END, path: sibling } : yield* afterBlock(index, sibling, `${block}/`);
}

function before(index: StepIndex, path: string): Position {
  const isFirst = (entry: Entry): boolean => 'path' in entry && entry.path === path;
  return {
    path,
    record: index.steps.get(path)?.records[0] ?? END.record,
    seen: (entries) => {
      const end = entries.findIndex(isFirst);
      return end === -1 ? entries : entries.slice(0, end);
    },
  };
}

/** After the last entry that the run has in a block. */
function* afterBlock({ steps }: StepIndex, path: string, block: string): Generator<void, Position> {
  let record = 0;
  for (const step of steps.values()) {
    yield;
    if (step.path.startsWith(block)) record = Math.max(record, step.records.at(-1) ?? 0);
  }
  const isInside = (entry: Entry): boolean => 'path' in entry && entry.path.startsWith(block);
  return { path, record, seen: (entries) => entries.slice(0, entries.findLastIndex(isInside) + 1) };
}

/** The path in the run of the first step that is called so; of several names, by the first that the run has. */
function* pathOf({ steps }: StepIndex, names: readonly string[]): Generator<void, string | null> {
  for (const named of names) {
    for (const path of steps.keys()) {
      yield;
      if (stepIdOf(path) === named || (named.startsWith(`${stepIdOf(path)}.`) && addressOf(path) === named))
        return path;
    }
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
