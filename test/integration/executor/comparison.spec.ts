import type { ComparedStep } from '../../../contracts/executions/comparison';
import type { ParamsOf } from '../../../contracts/catalogue';
import type { Json } from '../../../lib/json';
import { until } from '../../support/until';
import { codeOf, type House, openHouse } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

type Asked = Omit<ParamsOf<'executions.compare'>, 'id' | 'other'>;
const compare = (id: string, other: string, more: Asked = {}, actor = house.ann) =>
  house.t.call('executions.compare', { id, other, ...more }, actor);
const set = (id: string, config: Record<string, Json>, more: Record<string, Json> = {}): Json => ({
  id,
  type: 'set',
  config,
  ...more,
});
const results = (steps: readonly ComparedStep[]): string[] => steps.map(({ path, result }) => `${path} ${result}`);
const ended = async (workflow: string, trigger = {}): Promise<string> => {
  const id = await house.start(workflow, trigger);
  await house.ended(id);
  return id;
};

/** Two runs of these steps with different inputs. */
async function pair(steps: Json[], a = {}, b = {}, rest = {}): Promise<[string, string]> {
  const workflow = await house.workflow(steps, rest);
  return [await ended(workflow, a), await ended(workflow, b)];
}

it('finds what differs between two runs of a workflow: input, output and the steps between', async () => {
  const [a, b] = await pair(
    [
      set('constant', { v: 1 }),
      set('order', { id: '{{ trigger.id }}', items: '{{ trigger.items }}' }),
      set('large', { ok: true }, { if: '{{ trigger.items[0].n > 5 }}' }),
      set('end', { total: '{{ sum(map_field(trigger.items, "n")) }}' }),
    ],
    { id: 'x', items: [{ n: 1 }, { n: 2 }] },
    { id: 'x', items: [{ n: 6 }, { n: 2 }] },
  );
  const found = await compare(a, b);
  expect(found).toMatchObject({
    a: { id: a, status: 'completed', workflow_name: 'Flow', steps: 3 },
    b: { id: b, status: 'completed', steps: 4 },
    same_workflow: true,
    same_plan: true,
    input: { same: false, changes: [{ path: 'items[0].n', a: 1, b: 6 }], more: false },
    output: { same: false, changes: [{ path: 'total', a: 3, b: 8 }] },
    total: 4,
    only_in_a: 0,
    only_in_b: 0,
    compared: 4,
    next_cursor: null,
  });
  expect(results(found.steps)).toEqual(['constant same', 'order different', 'large different', 'end different']);
  expect(found.steps[1]).toMatchObject({
    differs: ['input', 'output'],
    output: { changes: [{ path: 'items[0].n', a: 1, b: 6 }] },
    a: { status: 'completed', attempts: 1, error: null },
  });
  expect(found.steps[2]).toMatchObject({
    differs: ['status', 'output'],
    a: { status: 'skipped' },
    b: { status: 'completed' },
    output: { changes: [{ path: '', b: { ok: true } }] },
  });
  const differences = await compare(a, b, { differences: true, changes: 0 });
  expect(results(differences.steps)).toEqual(['order different', 'large different', 'end different']);
  expect(differences.steps[0]?.output).toEqual({ same: false, changes: [], more: true });
});

it('shows what a retry has done: the step that failed, and those that only it has reached', async () => {
  const workflow = await house.workflow([
    set('first', { v: 1 }),
    { id: 'check', type: 'fail', if: '{{ trigger.fail == true }}', config: { message: 'refused' } },
    set('last', { v: 2 }),
  ]);
  const failed = await ended(workflow, { fail: true });
  const { id } = await house.t.call('executions.retry', { id: failed, input: { fail: false } }, house.ann);
  await house.ended(id);
  const found = await compare(failed, id);
  expect(found).toMatchObject({
    a: { status: 'failed', error: { step_id: 'check' } },
    b: { retry_of: failed },
    only_in_b: 1,
  });
  expect(found.steps).toMatchObject([
    { path: 'first', result: 'same' },
    {
      path: 'check',
      result: 'different',
      a: { status: 'failed', error: { message: 'refused' } },
      b: { status: 'skipped' },
    },
    { path: 'last', result: 'only_in_b', differs: [], a: null, b: { status: 'completed' }, input: null, output: null },
  ]);
  expect((await compare(id, failed)).steps.at(-1)).toMatchObject({ result: 'only_in_a', b: null });
});

it('compares runs of two versions, whose documents have other steps', async () => {
  const workflow = await house.workflow([set('a', { v: 1 }), set('old', { v: 1 }), set('z', { v: 1 })]);
  const before = await ended(workflow);
  const steps = [set('a', { v: 1 }), { id: 'new', type: 'log', config: { message: 'x' } }, set('z', { v: 2 })];
  await house.t.call(
    'workflows.update',
    { id: workflow, dsl: { id: 'flow', trigger: { type: 'http' }, steps } },
    house.ann,
  );
  const found = await compare(before, await ended(workflow));
  expect(found).toMatchObject({ same_workflow: true, same_plan: false, total: 4, only_in_a: 1, only_in_b: 1 });
  expect(results(found.steps)).toEqual(['a same', 'new only_in_b', 'old only_in_a', 'z different']);
});

it('has one record for a loop, and lists what is inside it by parent, a window at a time', async () => {
  const [a, b] = await pair(
    [
      {
        id: 'each',
        type: 'foreach',
        config: { items: '{{ trigger.items }}', concurrency: 4 },
        steps: [set('double', { n: '{{ loop.item * 2 }}' })],
      },
    ],
    { items: Array.from({ length: 60 }, (_, n) => n) },
    { items: Array.from({ length: 62 }, (_, n) => (n === 40 ? 0 : n)) },
  );
  const { steps } = await compare(a, b);
  expect(steps).toMatchObject([
    {
      path: 'each',
      differs: ['output', 'loop'],
      a: { loop: { total: 60 } },
      b: { loop: { total: 62, steps: { completed: 62 } } },
      output: {
        changes: [
          { path: 'results[40].n', a: 80, b: 0 },
          { path: 'results[60]' },
          { path: 'results[61]' },
          { path: 'count' },
        ],
      },
    },
  ]);
  const first = await compare(a, b, { parent: 'each', limit: 30 });
  expect(first).toMatchObject({ total: 62, only_in_b: 2, compared: 30 });
  expect(first.steps).toHaveLength(30);
  const next = await compare(a, b, { parent: 'each', limit: 30, cursor: first.next_cursor ?? '' });
  expect(next).toMatchObject({ input: null, output: null, compared: 60 });
  expect(next.steps[10]).toMatchObject({
    path: 'each/steps[40]/double',
    address: 'double.40',
    iteration: 40,
    result: 'different',
  });
  const differences = await compare(a, b, { parent: 'each', differences: true });
  expect(results(differences.steps)).toEqual([
    'each/steps[40]/double different',
    'each/steps[60]/double only_in_b',
    'each/steps[61]/double only_in_b',
  ]);
});

it('takes values with secrets as the same in both runs, and shows none', async () => {
  await house.t.call('secrets.put', { name: 'KEY', value: 'a-very-secret-value' }, house.ann);
  const [a, b] = await pair(
    [set('use', { key: '{{ secret.KEY }}', text: 'with {{ secret.KEY }} inside', n: '{{ trigger.n }}' })],
    { n: 1 },
    { n: 2 },
  );
  const found = await compare(a, b);
  expect(found.steps[0]?.output?.changes).toEqual([{ path: 'n', a: 1, b: 2, cut: false }]);
  expect(JSON.stringify(found)).not.toContain('secret-value');
});

it('compares large values, and of very large ones only whether they differ', async () => {
  const steps = [set('big', { text: '{{ trigger.text }}', n: '{{ trigger.n }}' })];
  const of = (chars: number, n: number) => ({ text: 'x'.repeat(chars), n });
  const [a, b] = await pair(steps, of(300_000, 1), of(300_000, 2));
  expect((await compare(a, b)).steps[0]?.output).toEqual({
    same: false,
    changes: [{ path: 'n', a: 1, b: 2, cut: false }],
    more: false,
  });
  const [c, d] = await pair(steps, of(700_000, 1), of(700_000, 2));
  expect((await compare(c, d)).steps[0]?.output).toEqual({ same: false, changes: [], more: true });
  const [e, f] = await pair(steps, of(700_000, 1), of(700_000, 1));
  expect((await compare(e, f)).steps[0]?.output).toEqual({ same: true, changes: [], more: false });
});

it('compares a run that still runs as far as it is', async () => {
  const workflow = await house.workflow([
    set('a', { v: '{{ trigger.v }}' }),
    { id: 'ask', type: 'wait_for_signal', config: { signal: 'go' } },
    set('z', {}),
  ]);
  const [one, two] = [await house.start(workflow, { v: 1 }), await house.start(workflow, { v: 1 })];
  await house.waiting(one);
  await house.waiting(two);
  expect(results((await compare(one, two)).steps)).toEqual(['a same', 'ask same']);
  await house.t.call('executions.signal', { id: two, signal: 'go', data: { x: 1 } }, house.ann);
  await house.ended(two);
  const found = await until('the comparison shows the end', async () => {
    const next = await compare(one, two);
    return next.b.status === 'completed' ? next : null;
  });
  expect(results(found.steps)).toEqual(['a same', 'ask different', 'z only_in_b']);
});

it('refuses runs of another tenant, a parent that is in neither run, and a cursor of another list', async () => {
  const [a, b] = await pair([set('a', {})]);
  const theirs = async () => {
    const dsl = { id: 'flow', trigger: { type: 'http' }, steps: [set('a', {})] };
    const { id } = await house.t.call('workflows.create', { name: 'Theirs', dsl }, house.bob);
    return (await house.t.call('workflows.trigger', { id, trigger: {} }, house.bob)).id;
  };
  const other = await theirs();
  for (const refused of [compare(a, other), compare(other, a), compare(a, b, {}, house.bob)])
    expect(await codeOf(refused)).toBe('not_found');
  expect(await codeOf(compare(a, b, { parent: 'nothing' }))).toBe('invalid_request');
  expect(await codeOf(compare(a, b, { cursor: 'bm9uZQ' }))).toBe('invalid_request');
  expect(await codeOf(compare(a, b, { limit: 201 }))).toBe('invalid_request');
});
