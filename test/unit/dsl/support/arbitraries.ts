import fc from 'fast-check';
import { BINARY_OPERATORS, type Expression, type Segment } from '../../../../dsl/expression/ast';
import { ROOTS } from '../../../../dsl/expression/evaluation-context';
import { FUNCTIONS } from '../../../../dsl/expression/functions';
import type { Json } from '../../../../lib/json';

/** Words that break careless code, beside ordinary ones. */
const word = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a', 'b', 'name', '0', '-1', '', 'length', 'then'),
  fc.string({ maxLength: 8 }),
);

/** JSON as clients send it: negative zero and odd objects do not occur. */
export const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

const literal: fc.Arbitrary<Expression> = fc
  .oneof(
    fc.constantFrom(null, true, false, 0, 1, 2, 1.5, 1e300, Number.MAX_SAFE_INTEGER),
    word,
    fc.constantFrom('2026-01-31', '1d', 'a.b', '(a+)+', 'UTC', '😀', '\ud800'),
  )
  .map((value) => ({ kind: 'literal' as const, value }));

const root: fc.Arbitrary<Expression> = fc
  .constantFrom(...ROOTS)
  .map((name) => ({ kind: 'root' as const, name, position: 0 }));

/** Trees as the parser makes them, of all kinds of nodes. */
export const tree: fc.Arbitrary<Expression> = fc.letrec<{ tree: Expression }>((tie) => {
  const inner = tie('tree');
  const segment: fc.Arbitrary<Segment> = fc.oneof(
    fc.constantFrom('a', 'body', 'my-step', '__proto__', '0').map((name) => ({ kind: 'key' as const, name, end: 0 })),
    inner.map((value) => ({ kind: 'index' as const, value, end: 0 })),
  );
  return {
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literal,
      root,
      fc.array(inner, { maxLength: 3 }).map((items) => ({ kind: 'list' as const, items })),
      fc
        .array(fc.record({ key: word, value: inner }), { maxLength: 3 })
        .map((entries) => ({ kind: 'object' as const, entries })),
      fc
        .tuple(inner, fc.array(segment, { minLength: 1, maxLength: 3 }))
        .map(([base, segments]) => ({ kind: 'path' as const, base, segments, position: 0 })),
      fc
        .tuple(fc.constantFrom('!' as const, '-' as const), inner)
        .map(([operator, operand]) => ({ kind: 'unary' as const, operator, operand, position: 0 })),
      fc
        .tuple(fc.constantFrom(...BINARY_OPERATORS.flat()), inner, inner)
        .map(([operator, left, right]) => ({ kind: 'binary' as const, operator, left, right, position: 0 })),
      fc
        .tuple(inner, inner, inner)
        .map(([test, whenTrue, whenFalse]) => ({ kind: 'conditional' as const, test, whenTrue, whenFalse })),
      fc
        .tuple(fc.constantFrom(...FUNCTIONS.keys()), fc.array(inner, { maxLength: 4 }))
        .map(([name, args]) => ({ kind: 'call' as const, name, args, position: 0 })),
    ),
  };
}).tree;

/** Text that looks like expressions, so that it gets past the first token. */
export const sourceLike: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        ...'{{ }} { } ( ) [ ] . , : ? ?? | || && ! == < + - " \' \\ \\u00'.split(' '),
        ...'in true null steps trigger upper __proto__ 1 1e9'.split(' '),
        ' ',
        '\n',
      ),
      { maxLength: 30 },
    )
    .map((tokens) => tokens.join('')),
);
