import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const NOTE: Json = { id: 'note', type: 'set', config: { n: '{{ trigger.body.n }}' } };
const COUNT: Json = {
  id: 'count',
  type: 'set',
  config: { all: '{{ map_field(map_field(trigger.events, "body"), "n") }}' },
};

const sent = async (workflow: string, body: JsonObject, path = '', headers: Record<string, string> = {}) => {
  const response = await fetch(`${site.url}/webhooks/${workflow}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as JsonObject;
  return { status: response.status, body: answer, id: String(answer.execution_id) };
};

const runsOf = async (workflow: string): Promise<JsonObject[]> =>
  (await ann.request('GET', `/api/v1/executions?workflow_id=${workflow}&limit=200`)).body.data as JsonObject[];

describe('debounce', () => {
  it('turns starts that follow each other into one run with the last trigger, which begins a period after it', async () => {
    const workflow = await ann.workflow([NOTE], { debounce: { period: '1s' } });
    const answers = [];
    for (let n = 1; n <= 5; n++) answers.push(await sent(workflow, { n }));
    const lastAt = Date.now();
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const id = answers[0]?.id as string;
    const waiting = await ann.get(id);
    expect(waiting).toMatchObject({ status: 'running', trigger: { body: { n: 5 } } });
    expect(waiting.waiting).toMatchObject([{ step_id: null, kind: 'debounce', name: null, until: expect.any(String) }]);
    const run = await ann.ended(id);
    expect([run.status, run.output]).toEqual(['completed', { n: 5 }]);
    expect(Date.parse(run.ended_at as string) - lastAt).toBeGreaterThan(800);
    expect(await runsOf(workflow)).toHaveLength(1);
    expect((await sent(workflow, { n: 6 })).id).not.toBe(id);
  }, 60_000);

  it('begins at the latest when the first start has waited as long as it may', async () => {
    const workflow = await ann.workflow([NOTE], {
      debounce: { period: '1h', max_wait: '2h', key: '{{ trigger.body.k }}' },
    });
    const begins = async (id: string) => Date.parse((await ann.get(id)).waiting[0]?.until as string);
    const first = await sent(workflow, { n: 1, k: 'a' });
    const before = await begins(first.id);
    expect((await sent(workflow, { n: 2, k: 'b' })).id).not.toBe(first.id);
    expect((await sent(workflow, { n: 3, k: 'a' })).id).toBe(first.id);
    expect(await begins(first.id)).toBeGreaterThan(before);
    const bounded = await ann.workflow([NOTE], { debounce: { period: '2s', max_wait: '2s' } });
    const { id } = await sent(bounded, { n: 1 });
    const due = await begins(id);
    expect((await sent(bounded, { n: 2 })).id).toBe(id);
    expect(await begins(id)).toBe(due);
    expect((await ann.ended(id)).output).toEqual({ n: 2 });
  }, 60_000);

  it('answers those who wait with the result of the run', async () => {
    const workflow = await ann.workflow([NOTE], { debounce: { period: '1s' } });
    const answers = await Promise.all([1, 2, 3].map((n) => sent(workflow, { n }, '/sync')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.n)).size).toBe(1);
    expect(await runsOf(workflow)).toHaveLength(1);
  }, 60_000);

  it('answers the repeat of a start with its run, and does not extend it', async () => {
    const workflow = await ann.workflow([NOTE], { debounce: { period: '1h' } });
    const first = await sent(workflow, { n: 1 }, '', { 'idempotency-key': 'k-1' });
    await sent(workflow, { n: 2 });
    const { waiting } = await ann.get(first.id);
    const again = await sent(workflow, { n: 1 }, '', { 'idempotency-key': 'k-1' });
    expect([again.status, again.id]).toEqual([202, first.id]);
    expect(await ann.get(first.id)).toMatchObject({ waiting, trigger: { body: { n: 2 } } });
    const other = await sent(workflow, { n: 9 }, '', { 'idempotency-key': 'k-1' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
    expect((await ann.get(first.id)).trigger).toMatchObject({ body: { n: 2 } });
  }, 60_000);

  it('gives a start after a cancellation a run of its own', async () => {
    const workflow = await ann.workflow([NOTE], { debounce: { period: '1h' } });
    const { id } = await sent(workflow, { n: 1 });
    expect((await ann.request('POST', `/api/v1/executions/${id}/cancel`)).status).toBe(202);
    expect((await sent(workflow, { n: 2 })).id).not.toBe(id);
    expect((await ann.ended(id)).status).toBe('cancelled');
  }, 60_000);

  it('applies limits and the timeout of the run from its beginning', async () => {
    const pause: Json = { id: 'pause', type: 'wait', config: { for: '1h' } };
    const workflow = await ann.workflow([pause], {
      debounce: { period: '1s', key: '{{ trigger.body.k }}' },
      concurrency: { key: 'all' },
      timeout: '3s',
    });
    const first = await sent(workflow, { k: 'a' });
    const second = await sent(workflow, { k: 'b' });
    const runs = await Promise.all([first, second].map(({ id }) => ann.ended(id)));
    expect(runs.map(({ error }) => error?.code)).toEqual(['timed_out', 'timed_out']);
    for (const { started_at: from, ended_at: to } of runs)
      expect(Date.parse(to as string) - Date.parse(from)).toBeGreaterThanOrEqual(3_900);
  }, 60_000);

  it('leaves retries and steps that start the workflow runs of their own', async () => {
    const child = await ann.workflow([NOTE], { debounce: { period: '1h' } });
    const call: Json = { id: 'call', type: 'sub_workflow', config: { workflow: child, input: { body: { n: 7 } } } };
    const parent = await ann.workflow([call]);
    expect((await ann.run(parent)).status).toBe('completed');
  }, 60_000);
});

describe('batch', () => {
  it('gathers starts into one run with all their triggers, which begins when it is full', async () => {
    const workflow = await ann.workflow([COUNT], { batch: { max_size: 3, period: '1h' } });
    const answers = [];
    for (let n = 1; n <= 7; n++) answers.push(await sent(workflow, { n }));
    const ids = answers.map(({ id }) => id);
    expect(ids).toEqual([ids[0], ids[0], ids[0], ids[3], ids[3], ids[3], ids[6]]);
    expect((await ann.ended(ids[0] as string)).output).toEqual({ all: [1, 2, 3] });
    expect((await ann.ended(ids[3] as string)).output).toEqual({ all: [4, 5, 6] });
    const open = await ann.get(ids[6] as string);
    expect(open).toMatchObject({ status: 'running', trigger: { events: [{ body: { n: 7 } }] } });
    expect(open.waiting).toMatchObject([{ kind: 'batch', name: null }]);
  }, 60_000);

  it('begins a period after the first start, for each key', async () => {
    const workflow = await ann.workflow([COUNT], {
      // Longer than twenty starts take on a slow machine.
      batch: { max_size: 100, period: '5s', key: '{{ trigger.body.k }}' },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => sent(workflow, { n, k: n % 2 === 0 ? 'even' : 'odd' })),
    );
    const ids = [...new Set(answers.map(({ id }) => id))];
    expect(ids).toHaveLength(2);
    const outputs = await Promise.all(ids.map(async (id) => (await ann.ended(id)).output as { all: number[] }));
    expect(outputs.flatMap(({ all }) => all).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(outputs.map(({ all }) => new Set(all.map((n) => n % 2)).size)).toEqual([1, 1]);
  }, 60_000);

  it('closes early before it has more data than a run can hold, and takes a large start', async () => {
    const workflow = await ann.workflow([{ id: 'n', type: 'set', config: { n: '{{ length(trigger.events) }}' } }], {
      batch: { max_size: 100, period: '1h' },
    });
    const large = 'x'.repeat(1_500_000);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await sent(workflow, { n, large }));
    const ids = answers.map(({ id }) => id);
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
    const run = await ann.ended(ids[0] as string);
    expect([run.status, run.output]).toEqual(['completed', { n: 2 }]);
  }, 60_000);

  it('takes each of many starts at once exactly once', async () => {
    const workflow = await ann.workflow([COUNT], { batch: { max_size: 7, period: '1s' } });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => sent(workflow, { n })));
    const ids = [...new Set(answers.map(({ id }) => id))];
    const outputs = await Promise.all(ids.map(async (id) => (await ann.ended(id)).output as { all: number[] }));
    for (const { all } of outputs) expect(all.length).toBeLessThanOrEqual(7);
    expect(outputs.flatMap(({ all }) => all).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(await runsOf(workflow)).toHaveLength(ids.length);
  }, 60_000);

  it('checks each start against the inputs of the workflow', async () => {
    const workflow = await ann.workflow([COUNT], {
      batch: { max_size: 2, period: '1h' },
      inputs: { type: 'object', required: ['n'] },
    });
    expect((await sent(workflow, {})).status).toBe(400);
    expect((await sent(workflow, { n: 1 })).status).toBe(202);
    const { id } = await sent(workflow, { n: 2 });
    expect((await ann.ended(id)).output).toEqual({ all: [1, 2] });
  }, 60_000);

  it('gives a retry of its run all triggers again', async () => {
    const workflow = await ann.workflow([COUNT], { batch: { max_size: 2, period: '1h' } });
    await sent(workflow, { n: 1 });
    const { id } = await sent(workflow, { n: 2 });
    await ann.ended(id);
    const { body } = await ann.request('POST', `/api/v1/executions/${id}/retry`, { from_step: 'count' });
    expect((await ann.ended(String(body.id))).output).toEqual({ all: [1, 2] });
  }, 60_000);
});

it('debounces and batches are listed among the queues', async () => {
  const debounced = await ann.workflow([NOTE], { debounce: { period: '1h', key: '{{ trigger.body.k }}' } });
  const batched = await ann.workflow([COUNT], { batch: { max_size: 9, period: '1h' } });
  for (let n = 0; n < 2; n++) await sent(debounced, { n, k: 'a' });
  for (let n = 0; n < 3; n++) await sent(batched, { n });
  const rows = async (query: string) => (await ann.request('GET', `/api/v1/queues?${query}`)).body.data;
  expect(await rows(`workflow_id=${debounced}`)).toMatchObject([
    { kind: 'debounce', key: 'a', limit: null, used: 2, waiting: 1, next_start: expect.any(String) },
  ]);
  expect(await rows(`workflow_id=${batched}&kind=batch`)).toMatchObject([
    { kind: 'batch', key: null, limit: 9, used: 3, waiting: 1, next_start: expect.any(String) },
  ]);
  expect(await rows(`workflow_id=${batched}&kind=debounce`)).toEqual([]);
  const { body } = await ann.request(
    'GET',
    `/api/v1/executions/visibility?query=${encodeURIComponent(`WorkflowType = "${batched}" AND WaitingFor = "batch"`)}`,
  );
  expect(body.data).toHaveLength(1);
  await until('nothing else waits', async () => (await runsOf(batched)).length === 1);
}, 60_000);
