import type { Json, JsonObject } from '../lib/json';
import { splitBraces } from './braces';
import type { Expression } from './expression/ast';
import type { Env } from './expression/env';
import { evaluate, evaluateLenient } from './expression/evaluate';
import { parse } from './expression/parser';
import { measured, newScope, type Scope } from './expression/scope';
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

/** Compiles what reads what is missing as null: an `if` (a boolean, or one expression in braces), a concurrency key. */
export function compileCondition(condition: string | boolean): Template {
  return typeof condition === 'boolean' ? { kind: 'constant', value: condition } : compileText(condition, true);
}

/**
 * The JSON of a template, never with an undefined in it. Parts that need no work are shared with the template and the
 * environment, so the result must not be changed. Throws ExpressionError for what is missing, mistyped or too large.
 */
export const render = (template: Template, env: Env): Json => renderIn(template, newScope(env));

function renderIn(template: Template, scope: Scope): Json {
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

function valueIn({ source, tree, lenient }: CompiledExpression, scope: Scope): Json {
  scope.source = source;
  const value = lenient ? evaluateLenient(tree, scope) : evaluate(tree, scope);
  return measured(scope, value);
}

function textIn(parts: readonly (string | CompiledExpression)[], scope: Scope): string {
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : toText(valueIn(part, scope));
  }
  return measured(scope, text);
}

function compileText(text: string, lenient: boolean): Template {
  const pieces = splitBraces(text);
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
  tree: parse(source),
  lenient,
});

const isConstant = (template: Template): template is Extract<Template, { kind: 'constant' }> =>
  template.kind === 'constant';
