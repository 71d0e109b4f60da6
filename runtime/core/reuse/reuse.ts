/**
 * The entries of an earlier run that a repeated run reuses. Owns: the selection. Does not own: reading the history.
 *
 *  I1  A step that succeeded does not run again, at any depth: its entries are reused in their order.
 *  I2  A step that was compensated, failed or was interrupted runs again, and so do its ancestors. Conditions of
 *      skipped steps are evaluated again.
 *  I3  A restart from a step runs that step and its dependents again, at any depth, and nothing else that succeeded.
 *  I4  With `onlyUnchanged`, an outermost step that differs from that of the earlier plan, or is new, is restarted from.
 *  I5  The selection is a function of both plans and the earlier history.
 */
import {
  blockOf,
  DOCUMENT_ON_ERROR,
  itemPath,
  loopsOf,
  planPath,
  type PreparedPlan,
  type PreparedStep,
} from '../../../dsl';
import { canonicalJson, type Json } from '../../../lib/json';
import type { Entry, StepEntry } from '../entries/entry';
import { nearestBlock } from '../state/nearest-block';
import { type KeepsAnyway, ancestorsOf, HistoryPruner } from './history-pruner';
import { restartFrom } from './restart-from';
import { changedSteps } from './changed-steps';
import { findStep } from '../state/step-at';

/** An entry that can be reused. */
export type ReusedEntry = Extract<
  StepEntry,
  { kind: 'step.completed' | 'step.failed' | 'step.skipped' | 'step.opened' | 'loop.turn' | 'loop.item' }
>;

/**
 * `fromStep`: the id of the step to restart from, or its path in the earlier run; null to run only what has not succeeded. `onlyUnchanged`: steps whose
 * definitions differ between the plans run again, too, with their dependents.
 */
export function reusableEntries(
  earlier: { readonly plan: PreparedPlan; readonly entries: readonly Entry[] },
  plan: PreparedPlan,
  fromStep: string | null,
  onlyUnchanged = false,
): ReusedEntry[] {
  const end = earlier.entries.findIndex(({ kind }) => kind === 'run.closing' || kind === 'run.ended');
  const before = end === -1 ? earlier.entries : earlier.entries.slice(0, end);
  const alike = sameIn(earlier.plan, plan);
  const undone = undoneIn(earlier.entries);
  const known = before.filter(
    (entry): entry is ReusedEntry => isReusable(entry) && alike(entry.path) && !undone(entry),
  );
  const changed = onlyUnchanged ? changedSteps(earlier.plan, plan) : [];
  if (fromStep === null && changed.length === 0) return settledOf(known, plan);
  // Of the paths that both plans share, so that each block that holds one is in the new plan.
  const restart = restartFrom(plan, known, fromStep, changed);
  const kept = known.filter((entry) => !restart.repeats(entry));
  return settledOf(kept, plan, (entry, ancestors) => {
    if (ancestors.some((outer) => restart.keptBlocks.has(outer))) return true;
    return entry.kind === 'step.failed' && findStep(plan, entry.path)?.def.onError === 'continue';
  });
}

const KINDS = new Set<Entry['kind']>([
  'step.completed',
  'step.failed',
  'step.skipped',
  'step.opened',
  'loop.turn',
  'loop.item',
]);

const isReusable = (entry: Entry): entry is ReusedEntry =>
  KINDS.has(entry.kind) && !(entry.kind === 'step.failed' && entry.retryAt !== null);

/** Returns whether the step at a path is the same in both plans, with all its ancestors. */
function sameIn(earlier: PreparedPlan, plan: PreparedPlan): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const decide = (path: string): boolean => {
    const block = blockOf(path);
    if (block === DOCUMENT_ON_ERROR) return false;
    const [now, then] = [plan.byPath.get(path), earlier.byPath.get(path)];
    if (now === undefined || then === undefined || !sameKind(now, then)) return false;
    return block === '' || isSame(blockOf(block));
  };
  const isSame = (path: string): boolean => {
    const answer = known.get(path) ?? decide(path);
    known.set(path, answer);
    return answer;
  };
  return (runPath) => isSame(planPath(runPath));
}

const sameKind = (a: PreparedStep, b: PreparedStep): boolean =>
  a.def.type === b.def.type && controlText(a) === controlText(b);

const controlText = ({ def }: PreparedStep): string => canonicalJson((def.control ?? null) as unknown as Json);

/** Returns whether an entry belongs to a step that was compensated, or completes an ancestor of one. */
function undoneIn(entries: readonly Entry[]): (entry: ReusedEntry) => boolean {
  const steps = new Set<string>();
  const containers = new Set<string>();
  for (const entry of entries) {
    const begins = 'path' in entry && entry.kind !== 'step.cancelled' && entry.kind !== 'step.skipped';
    const undone = begins ? nearestBlock(entry.path, ['compensate']) : null;
    if (undone === null || steps.has(undone.step)) continue;
    // A past iteration cannot be repeated: the whole loop is.
    const iteration = loopsOf(undone.step).find(({ kind }) => kind === 'iteration');
    const step = iteration === undefined ? undone.step : blockOf(iteration.block);
    steps.add(step);
    for (let container = blockOf(step); container !== ''; container = blockOf(container)) containers.add(container);
  }
  if (steps.size === 0) return () => false;
  return (entry) => {
    const { path } = entry;
    if ([path, ...ancestorsOf(path)].some((outer) => steps.has(outer))) return true;
    if (entry.kind === 'step.completed') return containers.has(path);
    return entry.kind === 'loop.item' && containers.has(itemPath(path, entry.index));
  };
}

/** Removes failures of steps that run again, and entries that are not needed. */
function settledOf(entries: readonly ReusedEntry[], plan: PreparedPlan, keepsAnyway?: KeepsAnyway): ReusedEntry[] {
  const undoable = new Set<string>();
  for (const { kind, path } of entries)
    if (kind === 'step.completed' && findStep(plan, path)?.blocks.has('compensate') === true)
      for (const outer of [path, ...ancestorsOf(path)]) undoable.add(outer);
  const pruner = new HistoryPruner(undoable, keepsAnyway);
  return entries
    .toReversed()
    .filter((entry) => pruner.keeps(entry))
    .reverse();
}
