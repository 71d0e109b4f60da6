import { isSuppressed, type PlanStep, type PreparedPlan } from '../../../dsl';
import { canonicalJson, type Json } from '../../../lib/json';

/** Paths of the outermost steps of a plan that differ from those of an earlier one, or are new. */
export function changedSteps(earlier: PreparedPlan, plan: PreparedPlan): string[] {
  return plan.root.steps.flatMap(({ path, def }) => {
    const before = earlier.byPath.get(path)?.def;
    return before !== undefined && isUnchanged(before, def) ? [] : [path];
  });
}

/** What decides on the output of a step. Its name, its retries and its timeout do not. */
function isUnchanged(before: PlanStep, now: PlanStep): boolean {
  return samePin(before, now) && partsOf(before) === partsOf(now) && sameBlocks(before, now);
}

const partsOf = ({ type, typeVersion, config, if: condition, needs, control }: PlanStep): string =>
  canonicalJson([
    type,
    typeVersion ?? null,
    config,
    condition ?? null,
    needs ?? null,
    control ?? null,
  ] as unknown as Json);

/** A step that a trial keeps from running counts as the step that ran: its output is better than none. */
const samePin = ({ pin: before }: PlanStep, { pin: now }: PlanStep): boolean =>
  (before === undefined && isSuppressed(now)) || canonicalJson(before ?? null) === canonicalJson(now ?? null);

function sameBlocks({ blocks: before = [] }: PlanStep, { blocks: now = [] }: PlanStep): boolean {
  return (
    before.length === now.length &&
    now.every(({ key, steps }, index) => {
      const other = before[index];
      return (
        other?.key === key &&
        other.steps.length === steps.length &&
        steps.every((step, n) => other.steps[n]?.id === step.id && isUnchanged(other.steps[n], step))
      );
    })
  );
}
