import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { openSite, type Site, type User } from '../executor/site';

let site: Site;
let ann: User;
let mallory: User;
/** Ann's: a workflow that waits for a signal, and a run of it. */
let flow: string;
let run: string;

beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
  mallory = await site.user();
  flow = await ann.workflow([{ id: 'hold', type: 'wait_for_signal', config: { signal: 'go' } }]);
  run = await ann.start(flow, { text: 'for ann alone' });
  await ann.waiting(run);
  await ann.request('POST', '/api/v1/secrets', { name: 'TOKEN', value: 'in the vault' });
  await ann.request('PUT', '/api/v1/variables/rate', { value: 'of ann' });
});
afterAll(() => site.close());

const runsOf = async (user: User): Promise<JsonObject[]> =>
  (await user.request('GET', '/api/v1/executions?limit=200')).body.data as JsonObject[];
const LOG: JsonObject = { id: 'a', type: 'log', config: { message: 'x' } };
const document = (steps: Json[], trigger: JsonObject = { type: 'manual' }): JsonObject => ({ id: 'f', trigger, steps });
const create = (user: User, dsl: JsonObject) => user.request('POST', '/api/v1/workflows', { name: 'Flow', dsl });

describe("a document that names another tenant's things", () => {
  test.each<[string, () => Json]>([
    ['a workflow by id, as a sub-workflow', () => ({ type: 'sub_workflow', config: { workflow: flow } })],
    ['a run, for a signal', () => ({ type: 'emit_signal', config: { signal: 'go', execution_id: run } })],
  ])('%s: the step fails as if there were none', async (_what, step) => {
    const before = (await runsOf(ann)).length;
    const id = await mallory.workflow([{ id: 'reach', ...(step() as JsonObject) }]);
    const { status, error } = await mallory.run(id);
    expect([status, error?.step_id]).toEqual(['failed', 'reach']);
    expect(JSON.stringify(error)).not.toContain('for ann alone');
    expect((await runsOf(ann)).length).toBe(before);
    expect((await ann.get(run)).waiting).toHaveLength(1);
  });

  test('a secret: the start is refused, since there is none of that name', async () => {
    const id = await mallory.workflow([{ id: 'a', type: 'set', config: { it: '{{ secret.TOKEN }}' } }]);
    const { status, body } = await mallory.request('POST', `/api/v1/workflows/${id}/trigger`, {});
    expect([status, body.code]).toEqual([400, 'unknown_secret']);
  });

  test('a constant: it has no value', async () => {
    const id = await mallory.workflow([{ id: 'a', type: 'set', config: { it: '{{ vars.rate ?? "none" }}' } }]);
    expect((await mallory.run(id)).output).toMatchObject({ it: 'none' });
  });

  test('a step type of its making: it is not known, and the step fails', async () => {
    const made = await ann.request('POST', '/api/v1/custom-nodes', {
      name: 'anns',
      label: 'Ann',
      kind: 'tool',
      config_fields: [],
      outputs: [],
      request: { method: 'GET', url: 'https://a.example/' },
    });
    expect(made.status).toBe(201);
    const steps = [{ id: 'a', type: String(made.body.type), config: {} }];
    const { status, body } = await create(mallory, document(steps));
    expect([status, JSON.stringify(body.warnings)]).toEqual([201, expect.stringContaining('custom-anns')]);
    const { status: ended, error } = await mallory.run(String(body.id));
    expect([ended, error?.code]).toEqual(['failed', 'unknown_type']);
  });
});

describe('what happens in one tenant', () => {
  test('starts no workflow of another that listens for it, by name or by id', async () => {
    const listeners: JsonObject[] = [
      { type: 'workflow_completed', config: { workflow: flow, status: 'any' } },
      { type: 'workflow_completed', config: { workflow: 'Flow', status: 'any' } },
      { type: 'error', config: {} },
      { type: 'signal', config: { signal: 'order' } },
    ];
    for (const trigger of listeners) {
      expect((await create(mallory, document([LOG], trigger))).status).toBe(201);
    }
    const before = (await runsOf(mallory)).length;
    // Ann's own listener tells that the ends have been worked on.
    const own = await create(ann, document([LOG], listeners[0]));
    expect(own.status).toBe(201);
    const { body } = await ann.request('POST', '/api/v1/signals', { signal: 'order', data: {} });
    expect(body).toMatchObject({ started: [] });
    await ann.request('POST', `/api/v1/executions/${run}/signal`, { signal: 'go', data: {} });
    await ann.ended(run);
    const ownRuns = async (): Promise<JsonObject[]> =>
      (await ann.request('GET', `/api/v1/executions?workflow_id=${String(own.body.id)}`)).body.data as JsonObject[];
    await until('her own listener has a run', async () => (await ownRuns()).length > 0 || null);
    expect((await runsOf(mallory)).length).toBe(before);
  }, 20_000);

  test('takes no Idempotency-Key away from another', async () => {
    const [ofAnn, ofMallory] = [await ann.workflow([LOG]), await mallory.workflow([LOG])];
    const start = (user: User, id: string) =>
      user.request('POST', `/api/v1/workflows/${id}/trigger`, {}, { 'idempotency-key': 'shared' });
    const [first, second] = [await start(ann, ofAnn), await start(mallory, ofMallory)];
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([202, 202, null]);
    expect(second.body.id).not.toBe(first.body.id);
  });
});

test("a pin is not taken from another tenant's run", async () => {
  const id = await mallory.workflow([{ id: 'hold', type: 'set', config: { it: 1 } }]);
  const { status, body } = await mallory.request('PUT', `/api/v1/workflows/${id}/steps/hold/pin`, {
    execution_id: run,
  });
  expect([status, JSON.stringify(body).includes('for ann alone')]).toEqual([404, false]);
});
