import { randomBytes } from 'node:crypto';
import {
  compileSource,
  compileTemplate,
  type EvaluationContext,
  ExpressionError,
  renderSliced,
  type Template,
  templateRefs,
  templateSizeFault,
} from '../../../dsl';
import { type Compute, ComputeError } from '../../../lib/compute';
import { assertNotRetryable } from '../../../lib/compute/unavailable';
import { type Json, type JsonObject } from '../../../lib/json';
import { stringifyJsonSliced } from '../../../lib/json/stringify-sliced';
import { beginningOf } from '../../../lib/json/beginning';
import { nextTurn } from '../../../lib/time-slices';
import type { ParamsOf } from '../../../contracts/catalogue';
import type { EvaluationView } from '../../../contracts/executions/expressions';

type Item = ParamsOf<'executions.evaluate'>['items'][number];

/** Characters of a value that are shown. */
const MAX_SHOWN_CHARS = 32 * 1024;
/** For all expressions of a request together. */
const MAX_TIME_MS = 10_000;

/** The data of an evaluation: the value of a root; undefined where there is none. */
export type Roots = (name: string) => Json | undefined;

/** A compiled item, or why it cannot be compiled. */
type Compiled = { readonly template: Template } | { readonly fault: EvaluationView };

/** Compiles each item, a turn of the thread for each. */
export async function compileAll(items: readonly Item[]): Promise<Compiled[]> {
  const results: Compiled[] = [];
  for (const item of items) {
    await nextTurn();
    results.push(compiled(item));
  }
  return results;
}

/** Evaluates each item as a step of a run does, within the same limits. @throws AppError unavailable */
export async function evaluateAll(
  compute: Compute,
  items: readonly Compiled[],
  roots: Roots,
  now: () => number,
): Promise<EvaluationView[]> {
  const until = now() + MAX_TIME_MS;
  const results: EvaluationView[] = [];
  for (const item of items) {
    await nextTurn();
    if ('fault' in item) results.push(item.fault);
    else if (now() > until) results.push(failed('the expressions before it took too long'));
    else results.push(await evaluated(compute, item.template, roots, now()));
  }
  return results;
}

async function evaluated(compute: Compute, template: Template, roots: Roots, now: number): Promise<EvaluationView> {
  try {
    return await viewOf(await renderSliced(compute, template, contextOf(template, roots, now)));
  } catch (fault) {
    assertNotRetryable(fault);
    if (fault instanceof ExpressionError) return failed(fault.message, fault);
    if (fault instanceof ComputeError) return failed(fault.message);
    throw fault;
  }
}

function compiled({ expression, template, lenient }: Item): Compiled {
  if ((expression === undefined) === (template === undefined))
    return { fault: failed("each of 'items' has either an 'expression' or a 'template'") };
  const size = templateSizeFault(template ?? null);
  if (size !== null) return { fault: failed(size) };
  try {
    return {
      template: expression === undefined ? compileTemplate(template as Json) : compileSource(expression, lenient),
    };
  } catch (fault) {
    if (fault instanceof ExpressionError) return { fault: failed(fault.message, fault) };
    throw fault;
  }
}

/** Secrets are shown by their names, and links by what they do: both are capabilities. */
function contextOf(template: Template, roots: Roots, now: number): EvaluationContext {
  const names = templateRefs(template).secrets;
  const secrets: JsonObject = Object.fromEntries(names.map((name) => [name, `[secret ${name}]`]));
  return {
    root: (name) => (name === 'secret' ? secrets : roots(name)),
    now,
    random: (bytes) => randomBytes(bytes),
    stepLink: (stepId, kind) => `[link: ${kind} ${stepId}]`,
  };
}

const viewOf = async (value: Json): Promise<EvaluationView> => ({
  type: typeOf(value),
  ...beginningOf(value, MAX_SHOWN_CHARS),
  size: (await stringifyJsonSliced(value))?.length ?? 0,
  error: null,
});

function typeOf(value: Json): NonNullable<EvaluationView['type']> {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // JSON has no other types.
  return typeof value as 'boolean' | 'number' | 'object' | 'string';
}

const failed = (message: string, fault?: ExpressionError): EvaluationView => ({
  type: null,
  value: null,
  truncated: false,
  size: 0,
  error: { message, source: fault?.source ?? null, position: fault?.position ?? null },
});
