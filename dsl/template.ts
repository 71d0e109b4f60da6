import type { Expression } from './expression/ast';
import type { Json } from '../lib/json';

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
