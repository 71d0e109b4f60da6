import { runAtOnce, runSliced } from '../lib/time-slices';
import type {
  Plan,
  PlanControl,
  PlanRate,
  PlanStep,
  PreparedBlock,
  PreparedControl,
  PreparedPlan,
  PreparedRate,
  PreparedStep,
} from './plan';
import { DOCUMENT_ON_ERROR } from './step-path';
import { templateRefs, usesRoot } from './refs';
import { compileCondition, compileTemplate, type Template } from './template';

type ByPath = Map<string, PreparedStep>;

/**
 * Compiles a plan's templates, once per plan and process. Throws ExpressionError when one cannot be read, which
 * means that the plan was not made by `compile` from a valid document.
 */
export const prepare = (plan: Plan): PreparedPlan => runAtOnce(prepared(plan));

/** The same, without holding the thread for long. */
export const prepareSliced = (plan: Plan): Promise<PreparedPlan> => runSliced(prepared(plan));

function* prepared(plan: Plan): Generator<void, PreparedPlan> {
  const byPath: ByPath = new Map();
  const { output, concurrency, throttle, rateLimit, gathering, priority, labels = {}, onError } = plan;
  const parts = {
    plan,
    root: yield* prepareBlock('', plan.steps, byPath),
    onError: onError === undefined ? null : yield* prepareBlock(DOCUMENT_ON_ERROR, onError, byPath),
    byPath,
    output: output === undefined ? null : compileTemplate(output),
    concurrencyKey: concurrency === undefined ? null : scalarTemplate(concurrency.key ?? concurrency.name ?? ''),
    throttle: throttle === undefined ? null : prepareRate(throttle),
    rateLimit: rateLimit === undefined ? null : prepareRate(rateLimit),
    gathering: gathering === undefined ? null : { rule: gathering, key: conditionOf(gathering.key) },
    priority: priority === undefined ? null : scalarTemplate(priority),
    labels: Object.entries(labels).map(([name, value]) => ({ name, template: scalarTemplate(value) })),
  };
  const usesVarsAtStart = startTemplatesOf(parts).some((template) => usesRoot(template, 'vars'));
  let usesVars = usesVarsAtStart;
  for (const template of templatesOf(parts)) {
    yield;
    usesVars ||= usesRoot(template, 'vars');
  }
  return { ...parts, usesVars, usesVarsAtStart };
}

type PreparedParts = Omit<PreparedPlan, 'usesVars' | 'usesVarsAtStart'>;

/** Templates that are evaluated before the run begins. */
const startTemplatesOf = ({
  concurrencyKey,
  throttle,
  rateLimit,
  gathering,
  priority,
  labels,
}: PreparedParts): Template[] =>
  [
    concurrencyKey,
    throttle?.key ?? null,
    rateLimit?.key ?? null,
    gathering?.key ?? null,
    priority,
    ...labels.map(({ template }) => template),
  ].filter((template) => template !== null);

/** The other templates of a plan. */
const templatesOf = ({ byPath, output }: PreparedParts): Template[] =>
  [
    output,
    ...[...byPath.values()].flatMap(({ config, condition, cacheKey, control }) => [
      config,
      condition,
      cacheKey,
      ...templatesOfControl(control),
    ]),
  ].filter((template) => template !== null);

const prepareRate = ({ key, ...rate }: PlanRate): PreparedRate => ({
  ...rate,
  key: conditionOf(key),
});

const conditionOf = (text: string | undefined): Template | null => (text === undefined ? null : compileCondition(text));

const scalarTemplate = (value: string | number | boolean): Template =>
  typeof value === 'string' ? compileCondition(value) : { kind: 'constant', value };

function templatesOfControl(control: PreparedControl | null): readonly Template[] {
  switch (control?.kind) {
    case 'branch':
      return control.conditions;
    case 'foreach':
      return [control.items];
    case 'while':
      return [control.condition];
    default:
      return [];
  }
}

function* prepareBlock(key: string, steps: readonly PlanStep[], byPath: ByPath): Generator<void, PreparedBlock> {
  const own: PreparedStep[] = [];
  for (const step of steps) {
    yield;
    own.push(yield* prepareStep(step, byPath));
  }
  return {
    key,
    steps: own,
    needs: steps.map(({ needs }, index) =>
      needs === undefined ? (index === 0 ? [] : [index - 1]) : needs.map((id) => indexOf(steps, id)),
    ),
    sequential: steps.every(({ needs }) => needs === undefined),
  };
}

function* prepareStep(def: PlanStep, byPath: ByPath): Generator<void, PreparedStep> {
  const config = compileTemplate(def.config);
  const blocks = new Map<string, PreparedBlock>();
  const step: PreparedStep = {
    path: def.path,
    def,
    config,
    secrets: templateRefs(config).secrets,
    condition: def.if === undefined ? null : compileCondition(def.if),
    cacheKey: def.cache?.key === undefined ? null : compileTemplate(def.cache.key),
    control: def.control === undefined ? null : prepareControl(def.control),
    blocks,
  };
  // Before those that it holds, so that `byPath` has the order of the document.
  byPath.set(step.path, step);
  for (const { key, steps } of def.blocks ?? []) blocks.set(key, yield* prepareBlock(key, steps, byPath));
  return step;
}

function prepareControl(control: PlanControl): PreparedControl {
  switch (control.kind) {
    case 'branch':
      return { kind: 'branch', conditions: control.conditions.map(compileCondition) };
    case 'foreach':
      return { ...control, items: compileTemplate(control.items) };
    case 'while':
      return { ...control, condition: compileCondition(control.condition) };
    case 'parallel':
    case 'try':
      return control;
  }
}

function indexOf(steps: readonly PlanStep[], id: string): number {
  const index = steps.findIndex((step) => step.id === id);
  if (index === -1) throw new RangeError(`The plan has a step that needs ${id}, which is not in its list`);
  return index;
}
