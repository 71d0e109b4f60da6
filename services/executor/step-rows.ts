import {
  addressOf,
  blockOf,
  blockPath,
  itemPath,
  iterationPath,
  planPath,
  type PreparedBlock,
  type PreparedStep,
  stepIdOf,
  stepPath,
} from '../../dsl';
import type { StepStatus } from '../../contracts/executions/views';
import type { IndexedStep, StepIndex } from './step-index';

/** A step of a run, or a step of its plan that has not started. */
export interface StepRow {
  /** Path in the run; for a step that has not started, in the plan. */
  readonly path: string;
  readonly step: PreparedStep;
  /** Null for a step that has not started. */
  readonly begun: IndexedStep | null;
}

/** Which rows are listed; by default all. */
export interface RowSelection {
  /** One step, by its id or its address in a loop (`ask.17`). */
  readonly step_id?: string;
  /** Everything at or below a path. */
  readonly path?: string;
  /** What is inside a step, or inside one item or iteration of a loop. */
  readonly parent?: string;
  /** `collapsed`: without the steps inside loops. */
  readonly loops?: 'expanded' | 'collapsed';
  readonly status?: StepStatus;
}

/**
 * The steps of a run in the order of the document, items and iterations of loops in their order. Steps that have not started
 * are included at their position in the plan, except inside a started loop, whose number of iterations is unknown. Yields
 * between steps, so that the work can be sliced. Returns null when the plan has no such parent.
 */
export function* stepRows(
  { plan, steps, loops }: StepIndex,
  selection: RowSelection = {},
): Generator<void, StepRow[] | null> {
  const rows: StepRow[] = [];
  const collapsed = selection.loops === 'collapsed';
  if (selection.parent !== undefined) {
    if (!(yield* addParent(selection.parent))) return null;
  } else {
    yield* addBlock(plan.root, '', false);
    if (plan.onError !== null) yield* addBlock(plan.onError, plan.onError.key, false);
  }
  return rows;

  function* addBlock(block: PreparedBlock, at: string, inLoop: boolean): Generator<void> {
    for (const step of block.steps) yield* addStep(step, stepPath(at, step.def.id), inLoop);
  }

  function* addStep(step: PreparedStep, path: string, inLoop: boolean): Generator<void> {
    yield;
    const begun = steps.get(path) ?? null;
    if (begun !== null || !inLoop) {
      const row = { path, step, begun };
      if (isChosen(row, selection)) rows.push(row);
    }
    if (step.blocks.size > 0 && !(collapsed && placeInLoop(step) !== null)) yield* addBlocks(step, path, inLoop);
  }

  function* addBlocks(step: PreparedStep, path: string, inLoop: boolean): Generator<void> {
    for (const [key, block] of step.blocks) {
      const placeOf = key === 'steps' ? placeInLoop(step) : null;
      if (placeOf === null) yield* addBlock(block, blockPath(path, key), inLoop);
      else if (!steps.has(path) && !inLoop) yield* addBlock(block, blockPath(path, key), false);
      else for (const number of inOrder(loops.get(path)?.numbers)) yield* addBlock(block, placeOf(path, number), true);
    }
  }

  /** False when the plan has nothing there. */
  function* addParent(parent: string): Generator<void, boolean> {
    const planned = planPath(parent);
    const inLoop = planned !== parent;
    const step = plan.byPath.get(planned);
    if (step !== undefined) {
      yield* addBlocks(step, parent, inLoop);
      return true;
    }
    const block = plan.byPath.get(blockOf(planned))?.blocks.get(stepIdOf(planned));
    if (block === undefined) return false;
    yield* addBlock(block, parent, inLoop);
    return true;
  }
}

/** The path segment of an item or iteration; null for a step that is not a loop. */
function placeInLoop({ control }: PreparedStep): ((path: string, index: number) => string) | null {
  if (control?.kind === 'foreach') return itemPath;
  return control?.kind === 'while' ? iterationPath : null;
}

const inOrder = (numbers: ReadonlySet<number> = new Set()): number[] => [...numbers].sort((a, b) => a - b);

const isChosen = (
  { path, step: { def }, begun }: StepRow,
  { step_id: name, path: prefix, status }: RowSelection,
): boolean =>
  (name === undefined || isCalled(name, def.id, path)) &&
  (prefix === undefined || isBelow(path, prefix)) &&
  (status === undefined || (begun?.summary.status ?? 'pending') === status);

const isCalled = (name: string, id: string, path: string): boolean =>
  id === name || (name.startsWith(`${id}.`) && addressOf(path) === name);

/** True when a path equals, or is below, another one: `each/steps` matches all items, `each/steps[1]` does not match item 17. */
const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) &&
  (path.length === prefix.length || prefix.endsWith('/') || '/[.'.includes(path[prefix.length] as string));
