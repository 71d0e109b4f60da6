import { BINARY_OPERATORS, type BinaryOperator, type Expression } from '../../../../dsl/expression/ast';

const levelOf = (operator: BinaryOperator): number =>
  BINARY_OPERATORS.findIndex((operators) => (operators as readonly string[]).includes(operator));
const UNARY = BINARY_OPERATORS.length;
const PRIMARY = UNARY + 1;

/** Writes a tree as source, with no more parentheses than it needs. Names after dots are written in brackets when odd. */
export const print = (tree: Expression): string => printAt(tree, -1);

function printAt(tree: Expression, minimum: number): string {
  const [text, level] = printed(tree);
  return level < minimum ? `(${text})` : text;
}

function printed(tree: Expression): [string, number] {
  switch (tree.kind) {
    case 'literal':
      return [JSON.stringify(tree.value), PRIMARY];
    case 'list':
      return [`[${tree.items.map(print).join(', ')}]`, PRIMARY];
    case 'object':
      return [
        `{${tree.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${print(value)}`).join(', ')}}`,
        PRIMARY,
      ];
    case 'root':
      return [tree.name, PRIMARY];
    case 'path': {
      const segments = tree.segments.map((segment) =>
        segment.kind === 'key' ? `.${segment.name}` : `[${print(segment.value)}]`,
      );
      const base = printAt(tree.base, PRIMARY);
      // A digit after the dot would join the number.
      return [(/^\d/.test(base) ? `(${base})` : base) + segments.join(''), PRIMARY];
    }
    case 'unary':
      return [`${tree.operator}${printAt(tree.operand, UNARY)}`, UNARY];
    case 'binary': {
      const level = levelOf(tree.operator);
      return [`${printAt(tree.left, level)} ${tree.operator} ${printAt(tree.right, level + 1)}`, level];
    }
    case 'conditional': {
      const [test, yes, no] = [printAt(tree.test, 0), printAt(tree.whenTrue, -1), printAt(tree.whenFalse, -1)];
      return [`${test} ? ${yes} : ${no}`, -1];
    }
    case 'call':
      return [`${tree.name}(${tree.args.map(print).join(', ')})`, PRIMARY];
  }
}

/** The tree without its positions, for comparing trees of differently spaced sources. */
export function shapeOf(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(shapeOf);
  if (typeof tree !== 'object' || tree === null) return tree;
  const kept = Object.entries(tree).filter(([key]) => key !== 'position' && key !== 'end');
  return Object.fromEntries(kept.map(([key, value]) => [key, shapeOf(value)]));
}
