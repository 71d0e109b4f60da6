import type { JsonObject } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const hostile = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') as JsonObject;

export const cases: NodeCase[] = [
  { title: 'nothing gives nothing', input: {}, outcome: { kind: 'done', output: {} } },
  {
    title: 'values keep their types',
    input: { total: 11.9, list: [1, 'two', null], nested: { ok: true } },
    outcome: { kind: 'done', output: { total: 11.9, list: [1, 'two', null], nested: { ok: true } } },
  },
  { title: 'names of the language are names', input: hostile, outcome: { kind: 'done', output: hostile } },
];
