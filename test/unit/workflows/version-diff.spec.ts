import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/json';
import { compareDsl } from '../../../services/workflows/versions/diff';

const set = (id: string, config: JsonObject = {}): JsonObject => ({ id, type: 'set', config });
const document = (steps: Json[], rest: JsonObject = {}): JsonObject => ({
  id: 'flow',
  trigger: { type: 'manual' },
  steps,
  ...rest,
});
const NOTHING = { added: [], removed: [], moved: [], changed: [] };

test('a document and itself, in any order of keys, are the same', () => {
  const one = document([{ id: 'a', type: 'set', config: { x: 1, y: { z: [1, 2] } } }]);
  const same = {
    steps: [{ config: { y: { z: [1, 2] }, x: 1 }, type: 'set', id: 'a' }],
    trigger: { type: 'manual' },
    id: 'flow',
  };
  expect(compareDsl(one, same)).toEqual({ same: true, steps: NOTHING, document: [], truncated: false });
});

test('lists added and removed steps with their paths', () => {
  const branch = (steps: Json[]): JsonObject => ({
    id: 'big',
    type: 'branch',
    cases: [{ when: '{{ true }}', steps }],
    else: [],
  });
  const { steps } = compareDsl(document([set('a'), branch([set('in')])]), document([branch([set('in'), set('new')])]));
  expect(steps).toEqual({
    added: [{ id: 'new', type: 'set', within: 'big.cases.0' }],
    removed: [{ id: 'a', type: 'set', within: 'steps' }],
    moved: [],
    changed: [],
  });
});

test('lists changed values of a step by their paths', () => {
  const { steps, same } = compareDsl(
    document([{ ...set('a', { url: 'x', headers: { 'x-a': '1' }, list: [1, 2, 3] }), timeout: '5s' }]),
    document([{ ...set('a', { url: 'y', headers: { 'x-b': '1' }, list: [1, 5, 3] }), retry: { max_attempts: 2 } }]),
  );
  expect(same).toBe(false);
  expect(steps.changed).toEqual([
    {
      id: 'a',
      changes: [
        { path: 'config.url', before: 'x', after: 'y' },
        { path: 'config.headers.x-a', before: '1' },
        { path: 'config.headers.x-b', after: '1' },
        { path: 'config.list[1]', before: 2, after: 5 },
        { path: 'timeout', before: '5s' },
        { path: 'retry', after: { max_attempts: 2 } },
      ],
    },
  ]);
});

test('a step in another block or order has moved; steps that only shift have not', () => {
  const loop = (steps: Json[]): JsonObject => ({ id: 'loop', type: 'foreach', config: { items: [1] }, steps });
  const { steps } = compareDsl(
    document([set('a'), set('b'), set('c'), set('d'), loop([set('x')])]),
    document([set('d'), set('a'), set('x'), set('b'), set('c'), loop([set('new')])]),
  );
  expect(steps.moved).toEqual([
    { id: 'x', from: 'loop.steps', to: 'steps' },
    { id: 'd', from: 'steps', to: 'steps' },
  ]);
  expect(steps.changed).toEqual([]);
});

test('the condition of a case belongs to the step, the steps of a case do not', () => {
  const branch = (when: string, steps: Json[]): JsonObject => ({ id: 'b', type: 'branch', cases: [{ when, steps }] });
  const { steps } = compareDsl(
    document([branch('{{ 1 }}', [set('x')])]),
    document([branch('{{ 2 }}', [set('x', { v: 1 })])]),
  );
  expect(steps.changed).toEqual([
    { id: 'b', changes: [{ path: 'cases[0].when', before: '{{ 1 }}', after: '{{ 2 }}' }] },
    { id: 'x', changes: [{ path: 'config.v', after: 1 }] },
  ]);
});

test('lists changes of the rest of the document', () => {
  const { document: rest } = compareDsl(
    document([set('a')], { output: { a: 1 } }),
    document([set('a')], { trigger: { type: 'http' }, timeout: '1h' }),
  );
  expect(rest).toEqual([
    { path: 'trigger.type', before: 'manual', after: 'http' },
    { path: 'output', before: { a: 1 } },
    { path: 'timeout', after: '1h' },
  ]);
});

test('reports when the list is truncated', () => {
  const wide = (value: number): JsonObject =>
    document([set('a', Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`k${n}`, value])))]);
  const found = compareDsl(wide(1), wide(2));
  expect(found.truncated).toBe(true);
  expect(found.steps.changed[0]?.changes).toHaveLength(500);
});

test('reads a value once, however deep it is', () => {
  let reads = 0;
  const nested = (value: number): JsonObject => {
    let config: JsonObject = Object.defineProperty({}, 'v', {
      enumerable: true,
      get: () => {
        reads += 1;
        return value;
      },
    });
    for (let depth = 0; depth < 50; depth += 1) config = { k: config };
    return document([set('a', config)]);
  };
  const { steps } = compareDsl(nested(1), nested(2));
  expect(steps.changed[0]?.changes).toMatchObject([{ before: 1, after: 2 }]);
  expect(reads).toBe(2);
});

test('is empty exactly for equal documents', () => {
  const steps = fc.uniqueArray(fc.record({ id: fc.stringMatching(/^[a-e]$/), v: fc.integer({ min: 0, max: 2 }) }), {
    selector: ({ id }) => id,
    minLength: 1,
  });
  const made = (list: { id: string; v: number }[]): JsonObject => document(list.map(({ id, v }) => set(id, { v })));
  fc.assert(
    fc.property(steps, steps, (one, other) => {
      expect(compareDsl(made(one), made(other)).same).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
