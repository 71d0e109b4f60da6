import {
  addressOf,
  blockPath,
  itemPath,
  type PreparedBlock,
  type PreparedPlan,
  type PreparedStep,
  stepPath,
  iterationPath,
} from '../../dsl';
import type { Entry, StepEntry } from '../../runtime/core/entries/entry';

/** A step of a run, or a step of its plan that has not started, with its journal entries in order. */
export interface StepRow {
  /** Path in the run; for a step that has not started, in the plan. */
  readonly path: string;
  readonly step: PreparedStep;
  readonly entries: readonly StepEntry[];
}

/** Filter of rows: one step, by its id or its address in a loop (`ask.17`), or all below a path. */
export interface RowFilter {
  readonly step_id?: string;
  readonly path?: string;
}

/** The journal entries by path, and the progress of each loop. */
interface Begun {
  readonly entries: ReadonlyMap<string, readonly StepEntry[]>;
  /** The numbers of started items and iterations, by the path of the loop. */
  readonly numbers: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * The steps of a run in the order of the document, items and iterations of loops in their order. Steps that have not started
 * are included at their position in the plan, except inside a started loop, whose number of iterations is unknown.
 */
export function stepRows(plan: PreparedPlan, history: readonly Entry[]): StepRow[] {
  const rows: StepRow[] = [];
  const begun = begunIn(history);
  addBlock(plan.root, '', false);
  if (plan.onError !== null) addBlock(plan.onError, plan.onError.key, false);
  return rows;

  function addBlock(block: PreparedBlock, at: string, inLoop: boolean): void {
    for (const step of block.steps) addStep(step, stepPath(at, step.def.id), inLoop);
  }

  function addStep(step: PreparedStep, path: string, inLoop: boolean): void {
    const entries = begun.entries.get(path);
    if (entries !== undefined || !inLoop) rows.push({ path, step, entries: entries ?? [] });
    for (const [key, block] of step.blocks) {
      const placeOf = key === 'steps' ? placeInLoop(step) : null;
      if (placeOf === null) addBlock(block, blockPath(path, key), inLoop);
      else if (entries === undefined && !inLoop) addBlock(block, blockPath(path, key), false);
      else for (const number of inOrder(begun.numbers.get(path))) addBlock(block, placeOf(path, number), true);
    }
  }
}

/** The path segment of an item or iteration; null for a step that is not a loop. */
function placeInLoop({ control }: PreparedStep): ((path: string, index: number) => string) | null {
  if (control?.kind === 'foreach') return itemPath;
  return control?.kind === 'while' ? iterationPath : null;
}

const inOrder = (numbers: ReadonlySet<number> = new Set()): number[] => [...numbers].sort((a, b) => a - b);

/** The innermost loop of a path, with the number of the item or iteration. */
const INNERMOST = /^(.*)\/steps(?:\[(\d+)\]|\.(\d+))\//;

function begunIn(history: readonly Entry[]): Begun {
  const entries = new Map<string, StepEntry[]>();
  const numbers = new Map<string, Set<number>>();
  for (const entry of history) {
    if (!('path' in entry)) continue;
    const known = entries.get(entry.path);
    if (known !== undefined) {
      known.push(entry);
      continue;
    }
    entries.set(entry.path, [entry]);
    for (let loop = INNERMOST.exec(entry.path); loop !== null; loop = INNERMOST.exec(loop[1] as string)) {
      const [, path = '', item, turn] = loop;
      const seen = numbers.get(path);
      if (seen === undefined) numbers.set(path, new Set([Number(item ?? turn)]));
      else seen.add(Number(item ?? turn));
    }
  }
  return { entries, numbers };
}

/** The rows that match a filter. */
export function chosen(rows: readonly StepRow[], { step_id: name, path: prefix }: RowFilter): readonly StepRow[] {
  if (name === undefined && prefix === undefined) return rows;
  return rows.filter(
    ({ path, step: { def } }) =>
      (name === undefined || isCalled(name, def.id, path)) && (prefix === undefined || isBelow(path, prefix)),
  );
}

const isCalled = (name: string, id: string, path: string): boolean =>
  id === name || (name.startsWith(`${id}.`) && addressOf(path) === name);

/** True when a path equals, or is below, another one: `each/steps` matches all items, `each/steps[1]` does not match item 17. */
const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) &&
  (path.length === prefix.length || prefix.endsWith('/') || '/[.'.includes(path[prefix.length] as string));
