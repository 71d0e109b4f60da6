import { parseDuration } from '../lib/duration';
import { hashJson, isObject, type Json, type JsonObject } from '../lib/json';
import { runAtOnce, runSliced } from '../lib/time-slices';
import { blocksOf } from './blocks';
import { controlOf, controlType } from './control';
import {
  type BatchDocument,
  type CacheDocument,
  type ConcurrencyDocument,
  type DebounceDocument,
  DEFAULT_STEP_TIMEOUT_MS,
  FLOW_LIMITS,
  type DurationText,
  type NodeTypeInfo,
  type NodeTypes,
  type StepDocument,
  type ThrottleDocument,
  type WorkflowDocument,
} from './document';
import { blockPath, DOCUMENT_ON_ERROR, stepPath } from './step-path';
import type { Plan, PlanCache, PlanConcurrency, PlanGathering, PlanRate, PlanStep } from './plan';
import { templateRefs } from './refs';
import { resolveRetry } from './retry';
import { compileTemplate } from './template';
import { canonicalTrigger } from './validation/trigger-types';

/** Node types by name and alias. */
export function nodeTypeIndex(nodeTypes: NodeTypes): ReadonlyMap<string, NodeTypeInfo> {
  const index = new Map<string, NodeTypeInfo>();
  for (const info of nodeTypes.values()) for (const alias of info.aliases ?? []) index.set(alias, info);
  for (const info of nodeTypes.values()) index.set(info.type, info);
  return index;
}

/**
 * Compiles a valid document into an immutable plan: defaults filled in, aliases resolved. The same document gives the
 * same plan, and its hash does not depend on the order of keys.
 */
export const compile = (document: WorkflowDocument, nodeTypes: NodeTypes): Plan =>
  runAtOnce(compiled(document, nodeTypes));

/** The same, without holding the thread for long. `now`: of `Plan`. The document must not change meanwhile. */
export const compileSliced = (document: WorkflowDocument, nodeTypes: NodeTypes, now?: number): Promise<Plan> =>
  runSliced(compiled(document, nodeTypes, now));

function* compiled(document: WorkflowDocument, nodeTypes: NodeTypes, now?: number): Generator<void, Plan> {
  const context: Context = { document, types: nodeTypeIndex(nodeTypes), secrets: new Set() };
  const {
    output,
    concurrency,
    throttle,
    rate_limit: rateLimit,
    priority,
    labels,
    inputs,
    on_error: onError,
  } = document;
  const triggers = document.triggers ?? (document.trigger === undefined ? [] : [document.trigger]);
  const plan: Omit<Plan, 'hash'> = {
    format: 1,
    id: document.id,
    name: document.name ?? document.id,
    triggers: triggers.map(({ type, config = {} }) => ({ type: canonicalTrigger(type), config })),
    steps: yield* compileBlock(document.steps, '', context),
    timeoutMs: parseDuration(document.timeout),
    ...present({
      concurrency: concurrency === undefined ? undefined : concurrencyOf(concurrency),
      throttle: throttle === undefined ? undefined : rateOf(throttle),
      rateLimit: rateLimit === undefined ? undefined : rateOf(rateLimit),
      gathering: gatheringOf(document),
      priority,
      labels: labels === undefined || Object.keys(labels).length === 0 ? undefined : labels,
      inputs,
      onError: onError === undefined ? undefined : yield* compileBlock(onError, DOCUMENT_ON_ERROR, context),
      output,
      now,
    }),
    secrets: [...context.secrets].sort(),
  };
  yield;
  // A plan is plain JSON: its types only leave out what JSON cannot say, such as "read-only".
  return { ...plan, hash: hashJson(plan as unknown as Json) };
}

interface Context {
  readonly document: WorkflowDocument;
  readonly types: ReadonlyMap<string, NodeTypeInfo>;
  readonly secrets: Set<string>;
}

function* compileBlock(steps: readonly StepDocument[], block: string, context: Context): Generator<void, PlanStep[]> {
  const planned: PlanStep[] = [];
  for (const step of steps) {
    yield;
    planned.push(yield* compileStep(step, block, context));
  }
  return planned;
}

function* compileStep(step: StepDocument, block: string, context: Context): Generator<void, PlanStep> {
  const path = stepPath(block, step.id);
  const info = context.types.get(step.type);
  const control = controlType(step.type);
  const { on_error: onError = 'fail' } = step;
  const config = configOf(step);
  for (const name of secretsOf(step, context.types)) context.secrets.add(name);
  const blocks: { key: string; steps: PlanStep[] }[] = [];
  for (const { key, steps } of blocksOf({ ...step })) {
    // The document is valid, so blocks contain steps.
    blocks.push({ key, steps: yield* compileBlock(steps as StepDocument[], blockPath(path, key), context) });
  }
  // A container step has no retry, and no timeout by default: its steps have.
  const retry = control === null ? resolveRetry(context.document.retry, step.retry) : resolveRetry();
  const usual = control === null ? (info?.timeoutMs ?? DEFAULT_STEP_TIMEOUT_MS) : null;
  return {
    id: step.id,
    path,
    type: control ?? info?.type ?? step.type,
    name: step.name ?? step.id,
    config,
    retry,
    timeoutMs: parseDuration(step.timeout) ?? usual,
    onError: Array.isArray(onError) ? 'steps' : onError,
    ...present({
      typeVersion: info?.version,
      if: step.if,
      needs: step.needs,
      cache: step.cache === undefined ? undefined : cacheOf(step.cache),
      pin: step.pin,
      control: control === null ? undefined : controlOf(control, step),
      blocks: blocks.length === 0 ? undefined : blocks,
    }),
  };
}

/** Removes undefined members, which JSON does not have. */
const present = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as typeof members;

/** Names of the secrets in a step's configuration, and of those that its node type and its tools use themselves. */
const secretsOf = (step: StepDocument, types: Context['types']): string[] => [
  ...templateRefs(compileTemplate(configOf(step))).secrets,
  ...[step.type, ...toolsIn(configOf(step))].flatMap((each) => types.get(each)?.secrets ?? []),
];

/** Documents may also leave the configuration out, or write null. */
const configOf = ({ config }: StepDocument): JsonObject => config ?? {};

/** The node types that an agent's configuration names as tools. */
const toolsIn = ({ tools }: JsonObject): string[] =>
  (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    isObject(tool) && typeof tool.type === 'string' ? [tool.type] : [],
  );

const concurrencyOf = ({ key, name, limit = 1, on_conflict = 'queue' }: ConcurrencyDocument): PlanConcurrency => ({
  ...(key === undefined ? {} : { key }),
  ...(name === undefined ? {} : { name }),
  limit,
  onConflict: on_conflict,
});

const rateOf = ({ limit, period, key, name, burst = limit }: ThrottleDocument): PlanRate => ({
  limit,
  periodMs: parseDuration(period) ?? 0,
  burst,
  ...(key === undefined ? {} : { key }),
  ...(name === undefined ? {} : { name }),
});

function gatheringOf({ debounce, batch }: WorkflowDocument): PlanGathering | undefined {
  if (debounce !== undefined) return debounceOf(debounce);
  return batch === undefined ? undefined : batchOf(batch);
}

const debounceOf = ({ period, max_wait: maxWait, key }: DebounceDocument): PlanGathering => ({
  kind: 'debounce',
  periodMs: parseDuration(period) ?? 0,
  maxWaitMs: parseDuration(maxWait) ?? FLOW_LIMITS.maxPeriodMs,
  ...(key === undefined ? {} : { key }),
});

const batchOf = ({ period, max_size: maxSize, key }: BatchDocument): PlanGathering => ({
  kind: 'batch',
  periodMs: parseDuration(period) ?? 0,
  maxSize,
  ...(key === undefined ? {} : { key }),
});

function cacheOf(cache: DurationText | CacheDocument): PlanCache {
  const { ttl, key } = typeof cache === 'object' ? cache : { ttl: cache };
  return { ttlMs: parseDuration(ttl) ?? 0, ...(key === undefined ? {} : { key }) };
}
