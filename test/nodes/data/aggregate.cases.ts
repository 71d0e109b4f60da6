import type { JsonObject } from '../../../lib/json';
import type { NodeCase } from '../node-case';
import { OPERATIONS } from '../../../nodes/data/aggregate/operation';

const ORDERS: JsonObject[] = [
  { country: 'DE', total: 10, buyer: { name: 'Ada' } },
  { country: 'FR', total: 30, buyer: { name: 'Bo' } },
  { country: 'DE', total: 20, buyer: { name: 'Ada' } },
  { country: 'DE' },
];

const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});
const every = (field: string): JsonObject[] =>
  OPERATIONS.map((operation) => ({ name: operation, operation, field, separator: '+' }));

export const cases: NodeCase[] = [
  {
    title: 'numbers are summed, and what is missing does not count',
    input: { items: ORDERS, operations: every('total') },
    outcome: {
      kind: 'done',
      output: {
        count: 4,
        values: {
          count: 3,
          count_unique: 3,
          sum: 60,
          avg: 20,
          min: 10,
          max: 30,
          first: 10,
          last: null,
          collect: [10, 30, 20],
          unique: [10, 30, 20],
          join: '10+30+20',
        },
      },
    },
  },
  {
    title: 'of nothing there is nothing',
    input: { items: [], operations: every('total') },
    outcome: {
      kind: 'done',
      output: {
        count: 0,
        values: {
          count: 0,
          count_unique: 0,
          sum: 0,
          avg: null,
          min: null,
          max: null,
          first: null,
          last: null,
          collect: [],
          unique: [],
          join: '',
        },
      },
    },
  },
  {
    title: 'items of a group agree in its fields',
    input: {
      items: ORDERS,
      group_by: ['country', 'buyer.name'],
      operations: [{ name: 'turnover', operation: 'sum', field: 'total' }],
    },
    outcome: {
      kind: 'done',
      output: {
        count: 4,
        groups: [
          { key: { country: 'DE', 'buyer.name': 'Ada' }, count: 2, values: { turnover: 30 } },
          { key: { country: 'FR', 'buyer.name': 'Bo' }, count: 1, values: { turnover: 30 } },
          { key: { country: 'DE', 'buyer.name': null }, count: 1, values: { turnover: 0 } },
        ],
      },
    },
  },
  {
    title: 'items themselves are looked at without a field',
    input: {
      items: ['b', 'a', 'b'],
      operations: [
        { name: 'all', operation: 'join' },
        { name: 'least', operation: 'min' },
        { name: 'kinds', operation: 'unique' },
      ],
    },
    outcome: { kind: 'done', output: { count: 3, values: { all: 'b, a, b', least: 'a', kinds: ['b', 'a'] } } },
  },
  {
    title: 'names of the language are names',
    input: { items: [1], operations: [{ name: '__proto__', operation: 'count' }] },
    outcome: { kind: 'done', output: { count: 1, values: JSON.parse('{"__proto__": 1}') as JsonObject } },
  },
  {
    title: 'text is not summed',
    input: { items: [{ n: 1 }, { n: '2' }], operations: [{ name: 's', operation: 'sum', field: 'n' }] },
    outcome: refused('invalid_items', 'n of item 1 is not a number, but a string'),
  },
  {
    title: 'a sum beyond all numbers is refused',
    input: { items: [1.7e308, 1.7e308], operations: [{ name: 's', operation: 'sum' }] },
    outcome: refused('invalid_items', 'larger than a number can be'),
  },
  {
    title: 'two results of one name are refused',
    input: {
      items: [],
      operations: [
        { name: 'a', operation: 'count' },
        { name: 'a', operation: 'sum' },
      ],
    },
    outcome: refused('invalid_config', 'two operations have one name'),
  },
  {
    title: 'an output that grows beyond 1 MiB is refused',
    input: {
      items: ['x'.repeat(100_000)],
      operations: Array.from({ length: 20 }, (_, index) => ({ name: `o${index}`, operation: 'collect' })),
    },
    outcome: refused('too_large', 'the output is larger than 1 MiB'),
  },
  {
    title: 'too many items for too many operations are refused',
    input: {
      items: Array<number>(100_000).fill(1),
      operations: Array.from({ length: 20 }, (_, index) => ({ name: `o${index}`, operation: 'sum' })),
    },
    outcome: refused('too_large', 'too much work'),
  },
];
