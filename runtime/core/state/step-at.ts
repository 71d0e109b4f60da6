import { planPath, type PreparedPlan, type PreparedStep } from '../../../dsl';

/** The step of the plan at a path of a run. @throws Error when there is none */
export function stepAt(plan: PreparedPlan, path: string): PreparedStep {
  const step = findStep(plan, path);
  if (step === undefined) throw new Error(`The plan has no step at ${path}`);
  return step;
}

/** As `stepAt`; undefined when there is none. */
export const findStep = (plan: PreparedPlan, path: string): PreparedStep | undefined =>
  plan.byPath.get(path) ?? plan.byPath.get(planPath(path));
