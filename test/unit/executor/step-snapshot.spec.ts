import fc from 'fast-check';
import { compile, type NodeTypes, prepare, type PreparedPlan, type WorkflowDocument } from '../../../dsl';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { StepIndex } from '../../../services/executor/step-index';
import { decodeIndex, encodeIndex } from '../../../services/executor/step-snapshot';
import { runAtOnce } from '../../../lib/time-slices';
import { indexOf } from '../../support/step-rows';

const nodeTypes: NodeTypes = new Map([
  ['set', { type: 'set', kind: 'work', inputSchema: { type: 'object' } }],
] as const);
const set = (id: string): object => ({ id, type: 'set' });
const planOf = (steps: object[]): PreparedPlan =>
  prepare(compile({ id: 'flow', trigger: { type: 'manual' }, steps } as unknown as WorkflowDocument, nodeTypes));

const plan = planOf([
  set('first'),
  {
    id: 'each',
    type: 'foreach',
    config: { items: [1] },
    steps: [set('fetch'), { id: 'poll', type: 'while', config: { condition: true }, steps: [set('check')] }],
  },
  set('last'),
]);

const opened = (path: string, items: number | null): Entry => ({
  kind: 'step.opened',
  path,
  at: 10,
  opening:
    items === null
      ? { kind: 'while' }
      : { kind: 'foreach', items: Array.from({ length: items }, (_, n) => n), concurrency: 2 },
});

/** Steps of the run in any order, with any outcome. */
const entry: fc.Arbitrary<Entry> = fc
  .tuple(fc.nat(30), fc.nat(5), fc.constantFrom('first', 'fetch', 'check', 'last'), fc.nat(2_000), fc.nat(4))
  .map(([item, turn, id, at, outcome]): Entry => {
    const inner = id === 'check' ? `each/steps[${item}]/poll/steps.${turn}/check` : `each/steps[${item}]/fetch`;
    const path = id === 'first' || id === 'last' ? id : inner;
    const about = { path, attempt: outcome, at };
    if (outcome === 0) return { kind: 'step.started', ...about, attempt: 1, input: null };
    if (outcome === 1) return { kind: 'step.skipped', path, at };
    if (outcome === 2)
      return { kind: 'step.failed', ...about, started: 1, error: { code: 'x', message: 'no "é"' }, retryAt: null };
    const usage = { input_tokens: at, output_tokens: 1, cost_usd: 0.25 };
    return { kind: 'step.completed', ...about, started: 2, output: {}, ...(outcome === 3 ? { usage } : {}) };
  });

const again = (index: StepIndex, of = plan): StepIndex | null =>
  runAtOnce(decodeIndex(runAtOnce(encodeIndex(index)), of));

test('the index of a snapshot equals the one that was stored', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 80 }), (entries) => {
      const index = indexOf(plan, [opened('each', 31), ...entries]);
      const stored = again(index);
      expect([...(stored?.steps ?? [])]).toEqual([...index.steps]);
      expect([...(stored?.loops ?? [])]).toEqual([...index.loops]);
      expect(stored?.last).toEqual(index.last);
    }),
  );
});

test('steps of a snapshot share the progress of their loop, so that it can be continued', () => {
  const stored = again(
    indexOf(plan, [opened('each', 2), { kind: 'step.skipped', path: 'each/steps[0]/fetch', at: 1 }]),
  );
  expect(stored?.steps.get('each/steps[0]/fetch')?.loop).toBe(stored?.loops.get('each'));
});

test('a snapshot of another plan, another format or of a part is not read', () => {
  const index = indexOf(plan, [opened('each', 2), { kind: 'step.skipped', path: 'first', at: 1 }]);
  expect(again(index, planOf([set('first')]))).toBeNull();
  const [header = '', steps = ''] = runAtOnce(encodeIndex(index));
  const other = (more: object): string => JSON.stringify({ ...(JSON.parse(header) as object), ...more });
  for (const wrong of [[], ['text'], ['[]'], [header], [header, 'no'], [header, '3'], [other({ format: 0 }), steps]])
    expect(runAtOnce(decodeIndex(wrong, plan))).toBeNull();
  expect(runAtOnce(decodeIndex([other({ count: 7 }), steps], plan))).toBeNull();
  expect(runAtOnce(decodeIndex([header, steps], plan))).not.toBeNull();
});

test('a snapshot of 100,000 items takes some bytes for each, whatever the steps have returned', () => {
  const entries = Array.from({ length: 100_000 }, (_, n): Entry => {
    const about = {
      path: `each/steps[${n}]/fetch`,
      attempt: 1,
      at: 1_700_000_000_000 + n * 4,
      started: 1_700_000_000_000 + n,
    };
    return { kind: 'step.completed', ...about, output: { text: 'x'.repeat(100) } };
  });
  const index = indexOf(plan, entries);
  const lines = runAtOnce(encodeIndex(index));
  expect(lines.reduce((sum, line) => sum + line.length, 0)).toBeLessThan(100_000 * 60);
  // Each line is read at once.
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(256 * 1024);
  expect(runAtOnce(decodeIndex(lines, plan))?.steps.get('each/steps[99999]/fetch')).toEqual(
    index.steps.get('each/steps[99999]/fetch'),
  );
});
