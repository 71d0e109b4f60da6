import type { PreparedPlan } from '../../dsl';
import { runAtOnce } from '../../lib/time-slices';
import type { Entry } from '../../runtime/core/entries/entry';
import { StepIndex } from '../../services/executor/step-index';
import { type RowSelection, type StepRow, stepRows } from '../../services/executor/step-rows';

/** The index of a history that is one record. */
export function indexOf(plan: PreparedPlan, history: readonly Entry[]): StepIndex {
  const index = new StepIndex(plan);
  index.add({ executionId: 'run', n: 1, epoch: 1, host: 'host', at: 1, before: 0, json: JSON.stringify(history) });
  return index;
}

/** The rows of a history; throws when the plan has no such parent. */
export function rowsOf(plan: PreparedPlan, history: readonly Entry[], selection: RowSelection = {}): StepRow[] {
  const rows = runAtOnce(stepRows(indexOf(plan, history), selection));
  if (rows === null) throw new Error(`There is nothing at ${selection.parent}`);
  return rows;
}
