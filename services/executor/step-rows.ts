import {
  addressOf,
  blockPath,
  itemPath,
  type PreparedBlock,
  type PreparedPlan,
  type PreparedStep,
  stepPath,
  turnPath,
} from '../../dsl';
import type { Entry, StepEntry } from '../../runtime/record/entry';

/** A step of a run, or one of its plan that has not begun; and what is on record of it, from the first on. */
export interface StepRow {
  /** In the run; of one that has not begun, in the plan. */
  readonly path: string;
  readonly step: PreparedStep;
  readonly entries: readonly StepEntry[];
}

/** Which rows are wanted: of one step, by its id or as it is called in a loop (`ask.17`); or all below a path. */
export interface RowFilter {
  readonly step_id?: string;
  readonly path?: string;
}

/** What the history says, by path, and how far each loop has come. */
interface Begun {
  readonly entries: ReadonlyMap<string, readonly StepEntry[]>;
  /** The numbers of the items and turns in which something has begun, by the path of the loop. */
  readonly numbers: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * The steps of a run in the order of the document, items and turns of loops in their order. Steps that have not begun
 * stand at their places in the plan; those inside of a loop that has begun are left out, as nobody knows how often.
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

/** How an item or turn of a step is called in paths; null for a step that is no loop. */
function placeInLoop({ control }: PreparedStep): ((path: string, index: number) => string) | null {
  if (control?.kind === 'foreach') return itemPath;
  return control?.kind === 'while' ? turnPath : null;
}

const inOrder = (numbers: ReadonlySet<number> = new Set()): number[] => [...numbers].sort((a, b) => a - b);

/** The innermost loop of a path, with its number. */
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

/** The rows that are wanted. */
export function chosen(rows: readonly StepRow[], { step_id: name, path: prefix }: RowFilter): readonly StepRow[] {
  if (name === undefined && prefix === undefined) return rows;
  return rows.filter(
    ({ path, step: { def } }) =>
      (name === undefined || isCalled(name, def.id, path)) && (prefix === undefined || isBelow(path, prefix)),
  );
}

const isCalled = (name: string, id: string, path: string): boolean =>
  id === name || (name.startsWith(`${id}.`) && addressOf(path) === name);

/** Whether a path is, or is below, what another one names: `each/steps` has all items, `each/steps[1]` not those of 17. */
const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) &&
  (path.length === prefix.length || prefix.endsWith('/') || '/[.'.includes(path[prefix.length] as string));
