import {
  type BatchDocument,
  type CacheDocument,
  type DebounceDocument,
  DEFAULT_STEP_TIMEOUT_MS,
  FLOW_LIMITS,
  type DurationText,
  type NodeTypeInfo,
  type RetryDocument,
  type StepDocument,
  type WorkflowDocument,
} from './document';
import type {
  Plan,
  PlanCache,
  PlanConcurrency,
  PlanControl,
  PlanGathering,
  PlanRate,
  PlanStep,
  RetryPolicy,
} from './plan';
import { resolveRetry } from './retry';

interface Options {
  /** Types with known timeouts, which are left out. */
  readonly nodeTypes?: ReadonlyMap<string, Pick<NodeTypeInfo, 'timeoutMs'>>;
  /** Whether configurations, pinned outputs, and the inputs and output of the workflow are included; true unless given. */
  readonly values?: boolean;
}

/**
 * A document that compiles to a plan, for runs whose own document is not stored. Policies that equal the defaults are left
 * out; a retry policy of the whole document is one of each step. Descriptions and keys that begin with `x_` are not in a
 * plan.
 */
export function documentOf(plan: Plan, options: Options = {}): WorkflowDocument {
  const { id, name, triggers, timeoutMs, onError } = plan;
  const { inputs, labels, output }: Partial<Plan> = options.values === false ? {} : plan;
  const stepOf = (step: PlanStep): StepDocument => stepDocument(step, options);
  const shown = triggers.map(({ type, config }) => ({
    type,
    ...(isEmpty(config) || options.values === false ? {} : { config }),
  }));
  const [only] = shown;
  return {
    id,
    ...(name === id ? {} : { name }),
    ...(only !== undefined && shown.length === 1 ? { trigger: only } : { triggers: shown }),
    ...(timeoutMs === null ? {} : { timeout: durationText(timeoutMs) }),
    ...limitsOf(plan),
    ...(labels === undefined ? {} : { labels }),
    ...(inputs === undefined ? {} : { inputs }),
    steps: plan.steps.map(stepOf),
    ...(onError === undefined ? {} : { on_error: onError.map(stepOf) }),
    ...(output === undefined ? {} : { output }),
  };
}

/** When runs of the workflow start. */
function limitsOf({ concurrency, throttle, rateLimit, gathering, priority }: Plan): Partial<WorkflowDocument> {
  return {
    ...(concurrency === undefined ? {} : { concurrency: concurrencyOf(concurrency) }),
    ...(throttle === undefined ? {} : { throttle: rateOf(throttle) }),
    ...(rateLimit === undefined ? {} : { rate_limit: rateOf(rateLimit) }),
    ...(gathering === undefined ? {} : gatheringDocument(gathering)),
    ...(priority === undefined ? {} : { priority }),
  };
}

const rateOf = ({ limit, periodMs, burst, key, name }: PlanRate) => ({
  limit,
  period: durationText(periodMs),
  ...(burst === limit ? {} : { burst }),
  ...(key === undefined ? {} : { key }),
  ...(name === undefined ? {} : { name }),
});

function gatheringDocument(rule: PlanGathering): { debounce: DebounceDocument } | { batch: BatchDocument } {
  const { periodMs, key } = rule;
  const common = { period: durationText(periodMs), ...(key === undefined ? {} : { key }) };
  if (rule.kind === 'batch') return { batch: { max_size: rule.maxSize, ...common } };
  const hasMaxWait = rule.maxWaitMs !== FLOW_LIMITS.maxPeriodMs;
  return { debounce: { ...common, ...(hasMaxWait ? { max_wait: durationText(rule.maxWaitMs) } : {}) } };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const durationText = (ms: number): DurationText => (ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`);

function stepDocument(step: PlanStep, options: Options): StepDocument {
  const { id, type, name, needs, timeoutMs, cache, control } = step;
  const { config = {}, pin }: Partial<PlanStep> = options.values === false ? {} : step;
  const retry = retryOf(step.retry);
  return {
    id,
    type,
    ...(name === id ? {} : { name }),
    ...(isEmpty(config) ? {} : { config }),
    ...(needs === undefined ? {} : { needs: [...needs] }),
    ...(step.if === undefined ? {} : { if: step.if }),
    ...(isEmpty(retry) ? {} : { retry }),
    ...(timeoutMs === null || isUsual(timeoutMs, type, options) ? {} : { timeout: durationText(timeoutMs) }),
    ...(step.onError === 'continue' ? { on_error: 'continue' } : {}),
    ...(cache === undefined ? {} : { cache: cacheOf(cache) }),
    ...(pin === undefined ? {} : { pin }),
    ...(control === undefined ? {} : waitOf(control)),
    ...listsOf(step, options),
  };
}

function isUsual(timeoutMs: number, type: string, { nodeTypes }: Options): boolean {
  const info = nodeTypes?.get(type);
  return info !== undefined && timeoutMs === (info.timeoutMs ?? DEFAULT_STEP_TIMEOUT_MS);
}

/** The members in which a policy differs from the defaults. */
function retryOf(policy: RetryPolicy): RetryDocument {
  const usual = resolveRetry({ initial_interval: durationText(policy.initialMs) });
  return {
    ...(policy.maxAttempts === usual.maxAttempts ? {} : { max_attempts: policy.maxAttempts }),
    ...(policy.backoff === usual.backoff ? {} : { backoff: policy.backoff }),
    ...(policy.initialMs === resolveRetry().initialMs ? {} : { initial_interval: durationText(policy.initialMs) }),
    ...(policy.maxMs === usual.maxMs ? {} : { max_interval: durationText(policy.maxMs) }),
    ...(policy.factor === usual.factor ? {} : { factor: policy.factor }),
    ...(policy.jitter === usual.jitter ? {} : { jitter: policy.jitter }),
  };
}

const cacheOf = ({ ttlMs, key }: PlanCache): DurationText | CacheDocument =>
  key === undefined ? durationText(ttlMs) : { ttl: durationText(ttlMs), key };

const concurrencyOf = ({
  key,
  name,
  limit,
  onConflict,
}: PlanConcurrency): WorkflowDocument['concurrency'] & object => ({
  ...(key === undefined ? {} : { key }),
  ...(name === undefined ? {} : { name }),
  ...(limit === 1 ? {} : { limit }),
  ...(onConflict === 'queue' ? {} : { on_conflict: onConflict }),
});

const waitOf = (control: PlanControl): Pick<StepDocument, 'wait'> =>
  control.kind === 'parallel' && control.wait !== control.branches.length ? { wait: control.wait } : {};

type Lists = Pick<
  StepDocument,
  'cases' | 'branches' | 'steps' | 'else' | 'catch' | 'finally' | 'on_error' | 'compensate'
>;

/** The lists of steps of a step; those of `cases` and `branches` have their conditions and ids in the control flow. */
function listsOf({ blocks = [], control }: PlanStep, options: Options): Lists {
  const documentsOf = (steps: readonly PlanStep[]): StepDocument[] => steps.map((step) => stepDocument(step, options));
  const stepsAt = (key: string): StepDocument[] => documentsOf(blocks.find((block) => block.key === key)?.steps ?? []);
  const lists: Lists = {};
  if (control?.kind === 'branch')
    lists.cases = control.conditions.map((when, at) => ({ when, steps: stepsAt(`cases.${at}`) }));
  if (control?.kind === 'parallel')
    lists.branches = control.branches.map((id, at) => ({ id, steps: stepsAt(`branches.${at}`) }));
  for (const { key, steps } of blocks) if (isList(key)) lists[key] = documentsOf(steps);
  return lists;
}

const LISTS = ['steps', 'else', 'catch', 'finally', 'on_error', 'compensate'] as const;

const isList = (key: string): key is (typeof LISTS)[number] => (LISTS as readonly string[]).includes(key);
