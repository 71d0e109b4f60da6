/**
 * What a run takes over that repeats an earlier one. Owns: which part of that one's history counts for the new one. Does
 * not own: reading it.
 *
 *  I1  What has succeeded is not done again, at any depth: its entries are taken over in their order.
 *  I2  What was undone, has failed or was cut off is done again, and so is what holds it. Whether a step that was
 *      skipped is wanted is asked again.
 *  I3  What is taken over is a function of both plans and the earlier history.
 */
import {
  blockOf,
  DOCUMENT_ON_ERROR,
  itemPath,
  loopsOf,
  planPath,
  type PreparedPlan,
  type PreparedStep,
} from '../../dsl';
import { canonicalJson, type Json } from '../../lib/json';
import type { Entry, StepEntry } from '../record/entry';
import { enclosing } from './enclosing';
import { outersOf, Over } from './over';
import { findStep } from './step-at';

/** An entry of the earlier run that says what counts. */
export type Taken = Extract<
  StepEntry,
  { kind: 'step.completed' | 'step.failed' | 'step.skipped' | 'step.opened' | 'loop.turn' | 'loop.item' }
>;

/** `fromStep`: the step from which all is to be done anew, or one that it holds; null for what has failed alone. */
export function inherit(
  earlier: { readonly plan: PreparedPlan; readonly entries: readonly Entry[] },
  plan: PreparedPlan,
  fromStep: string | null,
): Taken[] {
  const end = earlier.entries.findIndex(({ kind }) => kind === 'run.closing' || kind === 'run.ended');
  const before = end === -1 ? earlier.entries : earlier.entries.slice(0, end);
  const counts = counting(earlier.plan, plan, fromStep);
  const undone = undoneIn(earlier.entries);
  const known = before.filter((entry): entry is Taken => isTaken(entry) && counts(entry.path) && !undone(entry));
  return settledOf(known, plan);
}

const KINDS = new Set<Entry['kind']>([
  'step.completed',
  'step.failed',
  'step.skipped',
  'step.opened',
  'loop.turn',
  'loop.item',
]);

const isTaken = (entry: Entry): entry is Taken =>
  KINDS.has(entry.kind) && !(entry.kind === 'step.failed' && entry.retryAt !== null);

/** Whether steps at a path are the same in both plans, with all that holds them, and stand before what is done anew. */
function counting(earlier: PreparedPlan, plan: PreparedPlan, fromStep: string | null): (path: string) => boolean {
  const anew = doneAnew(plan, fromStep);
  const known = new Map<string, boolean>();
  const decide = (path: string): boolean => {
    const block = blockOf(path);
    if (block === DOCUMENT_ON_ERROR) return false;
    const [now, then] = [plan.byPath.get(path), earlier.byPath.get(path)];
    const alike = now !== undefined && then !== undefined && sameKind(now, then);
    return alike && (block === '' ? !anew.has(now.def.id) : counts(blockOf(block)));
  };
  const counts = (path: string): boolean => {
    const answer = known.get(path) ?? decide(path);
    known.set(path, answer);
    return answer;
  };
  return (runPath) => counts(planPath(runPath));
}

const sameKind = (a: PreparedStep, b: PreparedStep): boolean =>
  a.def.type === b.def.type && controlText(a) === controlText(b);

const controlText = ({ def }: PreparedStep): string => canonicalJson((def.control ?? null) as unknown as Json);

/** Ids of the outermost steps from one on, and of those that need them. */
function doneAnew({ root, byPath }: PreparedPlan, fromStep: string | null): Set<string> {
  const [first] = [...byPath].find(([, { def }]) => def.id === fromStep) ?? [''];
  const from = root.steps.findIndex(({ def }) => def.id === first.split('/')[0]);
  const anew = new Set(root.steps.flatMap((_, index) => (from !== -1 && index >= from ? [index] : [])));
  for (let size = -1; size < anew.size; ) {
    size = anew.size;
    for (const [index, needs] of root.needs.entries()) if (needs.some((need) => anew.has(need))) anew.add(index);
  }
  return new Set(root.steps.filter((_, index) => anew.has(index)).map(({ def }) => def.id));
}

/** Whether an entry says that something is done which was undone, or which holds what was. */
function undoneIn(entries: readonly Entry[]): (entry: Taken) => boolean {
  const steps = new Set<string>();
  const holders = new Set<string>();
  for (const entry of entries) {
    const begins = 'path' in entry && entry.kind !== 'step.cancelled' && entry.kind !== 'step.skipped';
    const undone = begins ? enclosing(entry.path, ['compensate']) : null;
    if (undone === null || steps.has(undone.step)) continue;
    // A turn that is over cannot be taken anew: the whole loop is.
    const turn = loopsOf(undone.step).find(({ kind }) => kind === 'turn');
    const step = turn === undefined ? undone.step : blockOf(turn.block);
    steps.add(step);
    for (let holder = blockOf(step); holder !== ''; holder = blockOf(holder)) holders.add(holder);
  }
  if (steps.size === 0) return () => false;
  return (entry) => {
    const { path } = entry;
    if ([path, ...outersOf(path)].some((outer) => steps.has(outer))) return true;
    if (entry.kind === 'step.completed') return holders.has(path);
    return entry.kind === 'loop.item' && holders.has(itemPath(path, entry.index));
  };
}

/** Without the failures of what is still to be done, and without what nobody would look at again. */
function settledOf(entries: readonly Taken[], plan: PreparedPlan): Taken[] {
  const undoable = new Set<string>();
  for (const { kind, path } of entries)
    if (kind === 'step.completed' && findStep(plan, path)?.blocks.has('compensate') === true)
      for (const outer of [path, ...outersOf(path)]) undoable.add(outer);
  const over = new Over(undoable);
  return entries
    .toReversed()
    .filter((entry) => over.keeps(entry))
    .reverse();
}
