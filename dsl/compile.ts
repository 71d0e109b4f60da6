import { parseDuration } from '../lib/duration';
import { hashJson, isObject, type Json, type JsonObject } from '../lib/json';
import { blocksOf } from './blocks';
import { controlOf, controlType } from './control';
import type {
  CacheDocument,
  ConcurrencyDocument,
  DurationText,
  NodeTypeInfo,
  NodeTypes,
  StepDocument,
  WorkflowDocument,
} from './document';
import { blockPath, DOCUMENT_ON_ERROR, stepPath } from './place';
import type { Plan, PlanCache, PlanConcurrency, PlanStep } from './plan';
import { templateRefs } from './refs';
import { resolveRetry } from './retry';
import { compileTemplate } from './template';

const DEFAULT_STEP_TIMEOUT_MS = 60_000;

/** A name or alias to the entry of its node type. */
export function nodeTypeIndex(nodeTypes: NodeTypes): ReadonlyMap<string, NodeTypeInfo> {
  const index = new Map<string, NodeTypeInfo>();
  for (const info of nodeTypes.values()) for (const alias of info.aliases ?? []) index.set(alias, info);
  for (const info of nodeTypes.values()) index.set(info.type, info);
  return index;
}

/**
 * The immutable plan of a document that `validateDocument` found no error in: defaults filled in, aliases resolved.
 * The same document gives the same plan, and its hash does not depend on the order of keys.
 */
export function compile(document: WorkflowDocument, nodeTypes: NodeTypes): Plan {
  const context: Context = { document, types: nodeTypeIndex(nodeTypes), secrets: new Set() };
  const { output, concurrency, inputs, on_error: onError } = document;
  const triggers = document.triggers ?? (document.trigger === undefined ? [] : [document.trigger]);
  const plan: Omit<Plan, 'hash'> = {
    format: 1,
    id: document.id,
    name: document.name ?? document.id,
    triggers: triggers.map(({ type, config = {} }) => ({ type, config })),
    steps: compileBlock(document.steps, '', context),
    timeoutMs: parseDuration(document.timeout),
    ...present({
      concurrency: concurrency === undefined ? undefined : concurrencyOf(concurrency),
      inputs,
      onError: onError === undefined ? undefined : compileBlock(onError, DOCUMENT_ON_ERROR, context),
      output,
    }),
    secrets: [...context.secrets].sort(),
  };
  // A plan is plain JSON: its types only leave out what JSON cannot say, such as "read-only".
  return { ...plan, hash: hashJson(plan as unknown as Json) };
}

interface Context {
  readonly document: WorkflowDocument;
  readonly types: ReadonlyMap<string, NodeTypeInfo>;
  readonly secrets: Set<string>;
}

const compileBlock = (steps: readonly StepDocument[], block: string, context: Context): PlanStep[] =>
  steps.map((step) => compileStep(step, block, context));

function compileStep(step: StepDocument, block: string, context: Context): PlanStep {
  const path = stepPath(block, step.id);
  const info = context.types.get(step.type);
  const control = controlType(step.type);
  const { config = {}, on_error: onError = 'fail' } = step;
  for (const name of secretsOf(step, context.types)) context.secrets.add(name);
  const blocks = blocksOf({ ...step }).map(({ key, steps }) => ({
    key,
    // The document was validated, so what stands in a block are steps.
    steps: compileBlock(steps as StepDocument[], blockPath(path, key), context),
  }));
  // A step that holds others is neither tried again as a whole nor timed unless it says so: its steps are.
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

/** The members that are there: JSON knows no undefined. */
const present = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as typeof members;

/** Names of the secrets in a step's configuration, and of those that its node type and its tools use themselves. */
const secretsOf = ({ type, config = {} }: StepDocument, types: Context['types']): string[] => [
  ...templateRefs(compileTemplate(config)).secrets,
  ...[type, ...toolsIn(config)].flatMap((each) => types.get(each)?.secrets ?? []),
];

/** The node types that an agent's configuration names as tools. */
const toolsIn = ({ tools }: JsonObject): string[] =>
  (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    isObject(tool) && typeof tool.type === 'string' ? [tool.type] : [],
  );

const concurrencyOf = ({ key, limit = 1, on_conflict = 'queue' }: ConcurrencyDocument): PlanConcurrency => ({
  key,
  limit,
  onConflict: on_conflict,
});

function cacheOf(cache: DurationText | CacheDocument): PlanCache {
  const { ttl, key } = typeof cache === 'object' ? cache : { ttl: cache };
  return { ttlMs: parseDuration(ttl) ?? 0, ...(key === undefined ? {} : { key }) };
}
