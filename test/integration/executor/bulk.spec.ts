import type { JsonObject } from '../../../lib/json';
import { codeOf, type House, openHouse } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const bulk = (params: { query: string; action: 'cancel' | 'retry' | 'signal' } & JsonObject, actor = house.ann) =>
  house.t.call('executions.bulk', params, actor);

/** Runs that wait for a signal, of a workflow of their own. */
async function waiting(count: number): Promise<{ ids: string[]; query: string }> {
  const workflow = await house.workflow([{ id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } }]);
  const ids = await Promise.all(Array.from({ length: count }, () => house.start(workflow)));
  for (const id of ids) await house.waiting(id);
  return { ids, query: `WorkflowType = '${workflow}' AND ExecutionStatus = "Running"` };
}

it('cancels all that a query resources, and tries first where it is only asked', async () => {
  const { ids, query } = await waiting(5);
  expect(await bulk({ query, action: 'cancel', dry_run: true })).toEqual({
    action: 'cancel',
    dry_run: true,
    matched: 5,
    more: false,
    accepted: 0,
    refused: [],
  });
  expect(await bulk({ query, action: 'cancel' })).toMatchObject({ matched: 5, accepted: 5, refused: [] });
  for (const id of ids) expect((await house.ended(id)).status).toBe('cancelled');
  expect(await bulk({ query, action: 'cancel' })).toMatchObject({ matched: 0, accepted: 0 });
});

it('sends a signal to all', async () => {
  const { ids, query } = await waiting(3);
  expect(await codeOf(bulk({ query, action: 'signal' }))).toBe('invalid_request');
  expect(await bulk({ query, action: 'signal', signal: 'go', data: { n: 1 } })).toMatchObject({ accepted: 3 });
  for (const id of ids) expect((await house.ended(id)).output).toEqual({ n: 1 });
});

it('retries those that can be, and tells of the others', async () => {
  const workflow = await house.workflow([{ id: 'a', type: 'fail', config: { message: 'no luck' } }]);
  const failed = await house.start(workflow);
  await house.ended(failed);
  const fine = await house.workflow([{ id: 'a', type: 'set', config: { ok: true } }]);
  const done = await house.start(fine);
  await house.ended(done);
  const query = `WorkflowType IN ('${workflow}', '${fine}') AND TriggerType != 'retry'`;
  expect(await bulk({ query, action: 'retry' })).toMatchObject({
    matched: 2,
    accepted: 1,
    refused: [{ execution_id: done, code: 'conflict' }],
  });
});

it('retries each run once, however often it is asked to with one key', async () => {
  const workflow = await house.workflow([{ id: 'a', type: 'fail', config: { message: 'no luck' } }]);
  const failed = await house.start(workflow);
  await house.ended(failed);
  const query = `WorkflowType = '${workflow}' AND TriggerType != 'retry'`;
  const again = () => bulk({ query, action: 'retry', idempotency_key: 'k1' });
  expect(await again()).toMatchObject({ accepted: 1 });
  expect(await again()).toMatchObject({ accepted: 1 });
  const { data } = await house.t.call('executions.list', { workflow_id: workflow }, house.ann);
  expect(data.map(({ trigger_type }) => trigger_type)).toEqual(['retry', 'manual']);
});

it('reaches no runs of another tenant', async () => {
  const { ids, query } = await waiting(1);
  expect(await bulk({ query, action: 'cancel' }, house.bob)).toMatchObject({ matched: 0 });
  expect((await house.get(ids[0] as string)).status).toBe('running');
  await bulk({ query, action: 'cancel' });
});

it('shows when steps were at work and when they waited', async () => {
  const workflow = await house.workflow([
    { id: 'a', type: 'set', config: { v: 1 } },
    { id: 'nap', type: 'wait', config: { for: '200ms' } },
    { id: 'b', type: 'set', config: { v: 2 } },
  ]);
  const id = await house.start(workflow);
  await house.ended(id);
  const timeline = await house.t.call('executions.timeline', { id }, house.ann);
  expect(timeline).toMatchObject({ execution_id: id, status: 'completed', truncated: false });
  expect(timeline.spans.map(({ step_id, kind, outcome }) => [step_id, kind, outcome])).toEqual([
    ['a', 'run', 'completed'],
    ['nap', 'wait', 'completed'],
    ['b', 'run', 'completed'],
  ]);
  expect(timeline.spans[1]?.duration_ms).toBeGreaterThan(100);
  expect(await codeOf(house.t.call('executions.timeline', { id }, house.bob))).toBe('not_found');
});
