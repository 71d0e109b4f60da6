import type { Json, JsonObject } from '../lib/json';
import { splitInterpolation } from './interpolation';
import type { Expression } from './expression/ast';
import type { EvaluationContext } from './expression/evaluation-context';
import { evaluate, evaluateLenient } from './expression/evaluate';
import { parsed } from './expression/parsed';
import { measured, newEvaluation, type EvaluationState } from './expression/evaluation-state';
import { setOwn, toText } from './expression/values';

/** An expression with its source; a lenient one reads what is missing as null instead of failing. */
export interface CompiledExpression {
  readonly source: string;
  readonly tree: Expression;
  readonly lenient: boolean;
}

/** JSON with its expressions compiled. Made once, rendered often. */
export type Template =
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'expression'; readonly expression: CompiledExpression }
  | { readonly kind: 'text'; readonly parts: readonly (string | CompiledExpression)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Template])[] };

/**
 * Compiles JSON in which strings may hold `{{ expressions }}`. A string that is one expression and nothing else keeps
 * the value's type; `\{{` is a literal `{{`, and `\\{{` a backslash before an expression. Keys are never read.
 * Throws ExpressionError for the first expression that cannot be read.
 */
export function compileTemplate(json: Json): Template {
  if (typeof json === 'string') return compileText(json, false);
  if (json === null || typeof json !== 'object') return { kind: 'constant', value: json };
  if (Array.isArray(json)) {
    const items = json.map(compileTemplate);
    return items.every(isConstant)
      ? { kind: 'constant', value: items.map(({ value }) => value) }
      : { kind: 'list', items };
  }
  const keys = Object.keys(json);
  const values = keys.map((key) => compileTemplate(json[key] as Json));
  if (values.every(isConstant)) {
    const value: JsonObject = {};
    for (const [index, key] of keys.entries()) setOwn(value, key, values[index]?.value ?? null);
    return { kind: 'constant', value };
  }
  return { kind: 'object', entries: keys.map((key, index) => [key, values[index] as Template] as const) };
}

/** Compiles one expression without braces; `lenient`: what is missing is null. @throws ExpressionError */
export const compileSource = (source: string, lenient = false): Template => ({
  kind: 'expression',
  expression: compileExpression(source, lenient),
});

/** Compiles what reads what is missing as null: an `if` (a boolean, or one expression in braces), a concurrency key. */
export function compileCondition(condition: string | boolean): Template {
  return typeof condition === 'boolean' ? { kind: 'constant', value: condition } : compileText(condition, true);
}

/**
 * The JSON of a template, never with an undefined in it. Parts that need no work are shared with the template and the
 * environment, so the result must not be changed. Throws ExpressionError for what is missing, mistyped or too large.
 */
export const render = (template: Template, env: EvaluationContext): Json => renderIn(template, newEvaluation(env));

/**
 * As `render`, but a template that is nothing but the path of a list, such as `{{ steps.query.rows }}`, returns that list
 * whatever its size: nothing is computed, and the list is not walked.
 */
export function renderReference(template: Template, env: EvaluationContext): Json {
  if (template.kind !== 'expression' || template.expression.tree.kind !== 'path') return render(template, env);
  const { source, tree, lenient } = template.expression;
  const scope = { ...newEvaluation(env), source };
  const value = lenient ? evaluateLenient(tree, scope) : evaluate(tree, scope);
  return Array.isArray(value) ? value : measured(scope, value);
}

function renderIn(template: Template, scope: EvaluationState): Json {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'expression':
      return valueIn(template.expression, scope);
    case 'text':
      return textIn(template.parts, scope);
    case 'list':
      return template.items.map((item) => renderIn(item, scope));
    case 'object': {
      const object: JsonObject = {};
      for (const [key, value] of template.entries) setOwn(object, key, renderIn(value, scope));
      return object;
    }
  }
}

function valueIn({ source, tree, lenient }: CompiledExpression, scope: EvaluationState): Json {
  scope.source = source;
  const value = lenient ? evaluateLenient(tree, scope) : evaluate(tree, scope);
  return measured(scope, value);
}

function textIn(parts: readonly (string | CompiledExpression)[], scope: EvaluationState): string {
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : toText(valueIn(part, scope));
  }
  return measured(scope, text);
}

function compileText(text: string, lenient: boolean): Template {
  const pieces = splitInterpolation(text);
  const parts = pieces.map((piece) =>
    piece.kind === 'literal' ? piece.text : compileExpression(piece.source, lenient),
  );
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return { kind: 'expression', expression: only };
  if (parts.every((part) => typeof part === 'string')) return { kind: 'constant', value: parts.join('') };
  return { kind: 'text', parts };
}

const compileExpression = (source: string, lenient: boolean): CompiledExpression => ({
  source,
  tree: parsed(source),
  lenient,
});

const isConstant = (template: Template): template is Extract<Template, { kind: 'constant' }> =>
  template.kind === 'constant';
