import type { Json } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const done = (items: Json[]): NodeCase['outcome'] => ({ kind: 'done', output: { items, count: items.length } });

export const cases: NodeCase[] = [
  { title: 'nothing is sorted', input: { items: [] }, outcome: done([]) },
  {
    title: 'items of all types have one order',
    input: { items: [[1], 'b', 'B', 10, 9, true, false, null, { a: 1 }, 'ä'] },
    outcome: done([null, false, true, 9, 10, 'B', 'b', 'ä', [1], { a: 1 }]),
  },
  {
    title: 'equals keep their order, downwards too',
    input: {
      items: [
        { n: 1, id: 'a' },
        { n: 2, id: 'b' },
        { n: 1, id: 'c' },
        { n: 2, id: 'd' },
      ],
      by: [{ field: 'n', direction: 'desc' }],
    },
    outcome: done([
      { n: 2, id: 'b' },
      { n: 2, id: 'd' },
      { n: 1, id: 'a' },
      { n: 1, id: 'c' },
    ]),
  },
  {
    title: 'a second key decides among equals',
    input: {
      items: [
        { a: { b: [2] }, c: 1 },
        { a: { b: [1] }, c: 1 },
        { a: { b: [1] }, c: 2 },
      ],
      by: [{ field: 'a.b[0]' }, { field: 'c', direction: 'desc' }],
    },
    outcome: done([
      { a: { b: [1] }, c: 2 },
      { a: { b: [1] }, c: 1 },
      { a: { b: [2] }, c: 1 },
    ]),
  },
  { title: 'text is sorted as text', input: { items: ['10', '9', '1'] }, outcome: done(['1', '10', '9']) },
  {
    title: 'or as the numbers that it holds',
    input: { items: ['10', '9', 'x', '-1.5', 2, ' 1e1 ', null], by: [{ numeric: true }] },
    outcome: done([null, '-1.5', 2, '9', '10', ' 1e1 ', 'x']),
  },
  {
    title: 'what is missing comes first',
    input: { items: [{ n: 1 }, {}, { n: null }], by: [{ field: 'n' }] },
    outcome: done([{}, { n: null }, { n: 1 }]),
  },
  {
    title: 'what is no path is refused',
    input: { items: [], by: [{ field: '[' }] },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"[" is not the path' }, retryable: false },
  },
  {
    title: 'too many comparisons are refused',
    input: { items: Array<number>(100_000).fill(1), by: [{}, {}, {}] },
    outcome: { kind: 'fail', error: { code: 'too_large', message: 'too much work' }, retryable: false },
  },
];
