import type { Json } from '../../../lib/json';
import { parseFieldPath, valueAt } from '../../../lib/field-path';

const at = (value: Json, text: string): Json | undefined => {
  const path = parseFieldPath(text);
  if (path === null) throw new Error(`${text} is no path`);
  return valueAt(value, path);
};

const value = JSON.parse(
  '{"a": {"b": [{"c d": 1}, 2]}, "x.y": 3, "0": "zero", "__proto__": {"own": true}, "n": null, "it\'s": 4}',
) as Json;

test.each([
  ['a.b[1]', 2],
  ['a.b.1', 2],
  ['a.b[-1]', 2],
  ["a.b[0]['c d']", 1],
  ['a.b[0].c d', 1],
  ["['x.y']", 3],
  ['["it\'s"]', 4],
  ['0', 'zero'],
  ['[0]', 'zero'],
  ['__proto__.own', true],
  ['n', null],
])('%s is found', (path, found) => {
  expect(at(value, path)).toEqual(found);
});

test.each(['a.c', 'a.b[2]', 'a.b.length', 'n.x', 'constructor', 'a.toString', 'a.b[0].__proto__', 'x.y'])(
  '%s is not there',
  (path) => {
    expect(at(value, path)).toBeUndefined();
  },
);

test.each(['', '.a', 'a.', 'a..b', 'a[', 'a[x]', "a['b", "a['b']c", 'a]', 'a'.repeat(501)])('%s is no path', (path) => {
  expect(parseFieldPath(path)).toBeNull();
});

test('the root may be a list', () => {
  expect(at([[1, 2], [3]], '[0][1]')).toBe(2);
});
