import type { Json } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const kept = (items: Json[], dropped: number): NodeCase['outcome'] => ({
  kind: 'done',
  output: { items, count: items.length, dropped },
});

export const cases: NodeCase[] = [
  { title: 'equal items stay once', input: { items: [1, '1', 1, null, null] }, outcome: kept([1, '1', null], 2) },
  {
    title: 'the order of keys does not count',
    input: {
      items: [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
    },
    outcome: kept([{ a: 1, b: [2] }], 1),
  },
  {
    title: 'the first of those that agree in a field stays',
    input: {
      items: [
        { mail: 'a@x.org', n: 1 },
        { mail: 'b@x.org', n: 2 },
        { mail: 'a@x.org', n: 3 },
      ],
      by: ['mail'],
    },
    outcome: kept(
      [
        { mail: 'a@x.org', n: 1 },
        { mail: 'b@x.org', n: 2 },
      ],
      1,
    ),
  },
  {
    title: 'or the last, in its place',
    input: {
      items: [
        { mail: 'a@x.org', n: 1 },
        { mail: 'b@x.org', n: 2 },
        { mail: 'a@x.org', n: 3 },
      ],
      by: ['mail'],
      keep: 'last',
    },
    outcome: kept(
      [
        { mail: 'b@x.org', n: 2 },
        { mail: 'a@x.org', n: 3 },
      ],
      1,
    ),
  },
  {
    title: 'several fields have to agree',
    input: { items: [{ a: 1, b: { c: 1 } }, { a: 1, b: { c: 2 } }, { a: 1 }, { a: 1, b: null }], by: ['a', 'b.c'] },
    outcome: kept([{ a: 1, b: { c: 1 } }, { a: 1, b: { c: 2 } }, { a: 1 }], 1),
  },
  {
    title: 'fields are not run together',
    input: {
      items: [
        { a: 'x', b: 'yz' },
        { a: 'xy', b: 'z' },
      ],
      by: ['a', 'b'],
    },
    outcome: kept(
      [
        { a: 'x', b: 'yz' },
        { a: 'xy', b: 'z' },
      ],
      0,
    ),
  },
  {
    title: 'what is no path is refused',
    input: { items: [], by: ['a.'] },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"a." is not the path' }, retryable: false },
  },
];
