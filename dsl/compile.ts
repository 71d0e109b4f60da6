import { parseDuration } from '../lib/duration';
import { hashJson, type Json } from '../lib/json';
import { blocksOf } from './blocks';
import { controlType } from './control';
import type { NodeTypeInfo, NodeTypes, StepDocument, WorkflowDocument } from './document';
import { stepPath } from './place';
import type { Plan, PlanStep } from './plan';
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
  const steps = document.steps.map((step) => compileStep(step, '', context));
  const { output, concurrency } = document;
  const plan: Omit<Plan, 'hash'> = {
    format: 1,
    id: document.id,
    name: document.name ?? document.id,
    triggers: [{ type: document.trigger.type, config: document.trigger.config ?? {} }],
    steps,
    timeoutMs: parseDuration(document.timeout),
    ...(concurrency === undefined
      ? {}
      : {
          concurrency: {
            key: concurrency.key,
            limit: concurrency.limit ?? 1,
            onConflict: concurrency.on_conflict ?? 'queue',
          },
        }),
    ...(output === undefined ? {} : { output }),
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

function compileStep(step: StepDocument, holder: string, context: Context): PlanStep {
  const path = stepPath(holder, step.id);
  const info = context.types.get(step.type);
  const config = step.config ?? {};
  for (const name of templateRefs(compileTemplate(config)).secrets) context.secrets.add(name);
  const blocks = blocksOf({ ...step }).map(({ key, steps }) => ({
    key,
    // The document was validated, so what stands in a block are steps.
    steps: steps.map((inner) => compileStep(inner as StepDocument, `${path}/${key}`, context)),
  }));
  return {
    id: step.id,
    path,
    type: info?.type ?? controlType(step.type) ?? step.type,
    ...(info?.version === undefined ? {} : { typeVersion: info.version }),
    name: step.name ?? step.id,
    config,
    ...(step.if === undefined ? {} : { if: step.if }),
    retry: resolveRetry(context.document.retry, step.retry),
    timeoutMs: parseDuration(step.timeout) ?? DEFAULT_STEP_TIMEOUT_MS,
    onError: step.on_error ?? 'fail',
    ...(blocks.length === 0 ? {} : { blocks }),
  };
}
