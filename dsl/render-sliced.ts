import { type Compute, sliceWork } from '../lib/compute';
import type { Json, JsonObject } from '../lib/json';
import { parseJsonSliced } from '../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../lib/json/stringify-sliced';
import type { EvaluationContext } from './expression/evaluation-context';
import { ExpressionError } from './expression/error';
import { MAX_VALUE_DEPTH } from './expression/limits';
import { isJsonObject, setOwn } from './expression/values';
import { stepsUsed, templateRefs } from './refs';
import { linkKey, type RenderRequest, renderTask } from './render-task';
import { render, type Template } from './template';

/** Maximum number of links requested by one rendering on a thread. */
const MAX_LINKS = 20;
/** The levels of values, inside those of a template. */
const RESULT_LIMITS = {
  depth: MAX_VALUE_DEPTH + 100,
  values: 10_000_000,
  members: 10_000_000,
  unicode: false,
};

/**
 * The value of a template: computed inline when it takes some milliseconds, else on a compute thread, with the same
 * result. @throws ExpressionError as `render` does; ComputeError
 */
export async function renderSliced(compute: Compute, template: Template, env: EvaluationContext): Promise<Json> {
  const inline = sliceWork(() => render(template, env));
  return inline.kind === 'done' ? inline.value : renderOnThread(compute, template, env);
}

/** As `renderSliced`, always on a compute thread. @throws ExpressionError, ComputeError */
export async function renderOnThread(compute: Compute, template: Template, env: EvaluationContext): Promise<Json> {
  const links: Record<string, string> = {};
  const request: RenderRequest = {
    template,
    roots: rootsOf(template, env),
    ...(env.roots === undefined ? {} : { names: env.roots }),
    now: env.now,
    seed: Buffer.from(env.random(32)).toString('hex'),
    ...(env.stepLink === undefined ? {} : { links }),
  };
  for (let asked = 0; asked <= MAX_LINKS; asked++) {
    const result = await compute.run(renderTask, (await stringifyJsonSliced(request)) ?? 'null');
    if (result.kind === 'value') return parseJsonSliced(result.text, RESULT_LIMITS);
    if (result.kind === 'fault') throw new ExpressionError(result.message, result.source, result.position);
    const { stepId, linkKind } = result;
    const link = env.stepLink?.(stepId, linkKind);
    if (link !== undefined) links[linkKey(stepId, linkKind)] = link;
  }
  throw new ExpressionError(`more than ${MAX_LINKS} links in an expression that takes long`, '', 0);
}

/** The data that a template uses: its roots, and of `steps` those that it names. */
function rootsOf(template: Template, env: EvaluationContext): JsonObject {
  const roots: JsonObject = {};
  for (const name of templateRefs(template).roots) {
    const value = env.root(name);
    if (value !== undefined) setOwn(roots, name, name === 'steps' ? outputsUsed(template, value) : value);
  }
  return roots;
}

function outputsUsed(template: Template, outputs: Json): Json {
  const ids = stepsUsed(template);
  if (!isJsonObject(outputs)) return outputs;
  // A copy, as steps that settle meanwhile add theirs.
  if (ids === null) return { ...outputs };
  const used: JsonObject = {};
  // The other names may appear in error messages.
  for (const id of Object.keys(outputs)) setOwn(used, id, ids.includes(id) ? (outputs[id] as Json) : null);
  return used;
}
