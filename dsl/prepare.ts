import type { Plan, PlanStep, PreparedPlan, PreparedStep } from './plan';
import { compileCondition, compileTemplate } from './template';

/**
 * Compiles a plan's templates, once per plan and process. Throws ExpressionError when one cannot be read, which
 * means that the plan was not made by `compile` from a valid document.
 */
export function prepare(plan: Plan): PreparedPlan {
  const byPath = new Map<string, PreparedStep>();
  const steps = plan.steps.map((step) => prepareStep(step, byPath));
  const { output, concurrency } = plan;
  return {
    plan,
    steps,
    byPath,
    output: output === undefined ? null : compileTemplate(output),
    concurrencyKey: concurrency === undefined ? null : compileCondition(concurrency.key),
  };
}

function prepareStep(def: PlanStep, byPath: Map<string, PreparedStep>): PreparedStep {
  const step: PreparedStep = {
    path: def.path,
    def,
    config: compileTemplate(def.config),
    condition: def.if === undefined ? null : compileCondition(def.if),
  };
  byPath.set(step.path, step);
  for (const block of def.blocks ?? []) for (const inner of block.steps) prepareStep(inner, byPath);
  return step;
}
