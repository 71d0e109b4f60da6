import fc from 'fast-check';
import { valueOf } from '../../../../nodes/storage/database-query/postgres-types';

/** Types of pg do not name its modules. */
const { prepareValue } = require('pg/lib/utils') as { prepareValue(value: unknown): string };

const TEXTS = 1009;

test.each([
  ['{}', []],
  ['{a,b}', ['a', 'b']],
  ['{NULL,"NULL",""}', [null, 'NULL', '']],
  ['{"a,b","c\\"d","e\\\\f","{}"}', ['a,b', 'c"d', 'e\\f', '{}']],
  [
    '{{a,b},{c,d}}',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['[0:1]={a,b}', ['a', 'b']],
])('%s is a list', (text, list) => {
  expect(valueOf(text, TEXTS)).toEqual(list);
});

test.each(['', 'a', '{', '{a', '{"a', '{"a\\', '{a}}'.slice(0, 2), '{{a}', '{'.repeat(100), '{"a"b}', '[0:1]{a}'])(
  '%j is none',
  (text) => {
    expect(() => valueOf(text, TEXTS)).toThrow('no list of PostgreSQL');
  },
);

test('a list of texts is read as it was written', () => {
  const item = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant(null),
    fc.constantFrom('NULL', '', '"', '\\', '{', ',', ' '),
  );
  const list = fc.oneof(fc.array(item), fc.array(fc.array(item, { minLength: 2, maxLength: 2 }), { minLength: 1 }));
  fc.assert(
    fc.property(list, (value) => {
      expect(valueOf(prepareValue(value), TEXTS)).toEqual(value);
    }),
  );
});
