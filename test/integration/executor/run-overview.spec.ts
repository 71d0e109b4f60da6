import type { Json, JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

const STEPS: Json[] = [
  { id: 'first', type: 'set', name: 'The first', config: { text: 'x' } },
  {
    id: 'each',
    type: 'foreach',
    config: { items: [0, 1, 2, 3, 4], concurrency: 1 },
    steps: [
      { id: 'double', type: 'set', config: { n: '{{ loop.item }}' } },
      { id: 'check', type: 'fail', if: '{{ loop.index == 2 }}', config: { message: 'Third' }, on_error: 'continue' },
    ],
  },
  { id: 'wait', type: 'wait_for_signal', config: { signal: 'go', timeout: '1h' } },
  { id: 'last', type: 'set', config: { done: true } },
];

let site: Site;
let ann: User;
let workflow: string;
let id: string;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
  workflow = await ann.workflow(STEPS);
  id = await ann.start(workflow);
  await ann.waiting(id);
});
afterAll(() => site?.close());

const get = async (path: string, user = ann): Promise<{ status: number; body: JsonObject }> =>
  user.request('GET', `/api/v1/executions/${id}/${path}`);

it('the overview has one row for each step of the document, and counts steps in loops by status', async () => {
  const { status, body } = await get('overview');
  expect(status).toBe(200);
  expect(body).toMatchObject({ execution_id: id, status: 'running', ended_at: null });
  const steps = body.steps as JsonObject[];
  expect(steps.map((step) => [step.path, step.status, step.counts])).toEqual([
    ['first', 'completed', { completed: 1 }],
    ['each', 'completed', { completed: 1 }],
    ['each/steps/double', 'completed', { completed: 5 }],
    ['each/steps/check', 'failed', { failed: 1, skipped: 4 }],
    ['wait', 'waiting', { waiting: 1 }],
    ['last', 'pending', {}],
  ]);
  const [first, each, , check, wait, last] = steps;
  expect(first).toMatchObject({ attempt: 1, shown_path: 'first', error: null });
  expect(first?.started_at).not.toBeNull();
  expect(each?.loop).toEqual({ total: 5, begun: 5, ended: 5, steps: { completed: 5, failed: 1, skipped: 4 } });
  expect(check).toMatchObject({ shown_path: 'each/steps[2]/check', error: { message: 'Third', step_id: 'check' } });
  expect(wait).toMatchObject({ shown_path: 'wait', ended_at: null, duration_ms: null });
  expect(last).toMatchObject({ shown_path: null, started_at: null, attempt: 0 });
});

it('the document of a run is that of its start, also after the workflow has changed', async () => {
  const name = (await ann.request('GET', `/api/v1/workflows/${workflow}`)).body.name as string;
  const dsl = { id: 'other', trigger: { type: 'manual' }, steps: [{ id: 'only', type: 'set', config: {} }] };
  await ann.request('PUT', `/api/v1/workflows/${workflow}`, { name, dsl });
  const { status, body } = await get('document');
  expect(status).toBe(200);
  expect(body).toMatchObject({ execution_id: id, workflow_def_id: workflow });
  expect((body.dsl as JsonObject).steps).toEqual(STEPS.map((step) => expect.objectContaining(step as JsonObject)));
  const again = await ann.request('POST', '/api/v1/workflows', { name: 'Again', dsl: body.dsl as Json });
  expect(again).toMatchObject({ status: 201 });
});

it('the document without values has the same steps', async () => {
  const { dsl } = (await get('document?values=false')).body as { dsl: { steps: JsonObject[] } };
  expect(dsl.steps[0]).toEqual({ id: 'first', type: 'set', name: 'The first' });
  expect(JSON.stringify(dsl)).not.toContain('"config"');
});

it('both are not found by another tenant', async () => {
  const bob = await site.user();
  for (const path of ['overview', 'document']) expect(await get(path, bob)).toMatchObject({ status: 404 });
});
