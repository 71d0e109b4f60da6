/** Operators between two values, by how tightly they bind: later lines bind tighter. */
export const BINARY_OPERATORS = [
  ['??'],
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
] as const;

export type BinaryOperator = (typeof BINARY_OPERATORS)[number][number];
type UnaryOperator = '!' | '-';

/** One step of a path: a name written after a dot, or a value in brackets. `end` is where it ends in the source. */
export type Segment = { kind: 'key'; name: string; end: number } | { kind: 'index'; value: Expression; end: number };

/** The tree of an expression. Positions count characters from the start of the source. Pipes are calls. */
export type Expression =
  | { kind: 'literal'; value: null | boolean | number | string }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'object'; entries: { key: string; value: Expression }[] }
  | { kind: 'root'; name: string; position: number }
  | { kind: 'path'; base: Expression; segments: Segment[]; position: number }
  | { kind: 'unary'; operator: UnaryOperator; operand: Expression; position: number }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression; position: number }
  | { kind: 'conditional'; test: Expression; whenTrue: Expression; whenFalse: Expression }
  | { kind: 'call'; name: string; args: Expression[]; position: number };

/** The expressions that one is made of directly. */
export function partsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'root':
      return [];
    case 'list':
      return expression.items;
    case 'object':
      return expression.entries.map(({ value }) => value);
    case 'path':
      return [
        expression.base,
        ...expression.segments.flatMap((segment) => (segment.kind === 'index' ? [segment.value] : [])),
      ];
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'conditional':
      return [expression.test, expression.whenTrue, expression.whenFalse];
    case 'call':
      return expression.args;
  }
}
