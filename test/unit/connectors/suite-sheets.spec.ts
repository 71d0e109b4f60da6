import { cellsOf, columnOf, firstRow, named } from '../../../nodes/connectors/suite-sheets/table';

test.each([
  ['Orders!A3:C6', 3],
  ["'Orders 2026'!$B$12", 12],
  ['A7', 7],
  ['Orders', 1],
  ['Orders!A:C', 1],
  ["'A5'!A:C", 1],
  ["'!A9'", 1],
])('the first row of %s is %d', (range, row) => {
  expect(firstRow(range)).toBe(row);
});

test('a row has the names of the first one; of two of a name the left one counts', () => {
  expect(named([' a ', 'a', '', null, 5, 'constructor', '__proto__'], [1, 2, 3, 4, 6])).toEqual(
    Object.fromEntries([
      ['a', 1],
      ['5', 6],
      ['constructor', ''],
      ['__proto__', ''],
    ]),
  );
  expect(columnOf(['x', ' email '], 'email ')).toBe(1);
  expect(columnOf([null, ['email']], 'email')).toBe(-1);
});

test('what is no row is an empty one', () => {
  expect(cellsOf([['a'], null, 'x'])).toEqual([['a'], [], []]);
});
