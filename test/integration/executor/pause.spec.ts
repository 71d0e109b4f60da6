import type { JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { codeOf, type House, openHouse } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const pause = (id: string, more: JsonObject = {}, actor = house.ann) =>
  house.t.call('executions.pause', { id, ...more }, actor);
const resume = (id: string, more: JsonObject = {}, actor = house.ann) =>
  house.t.call('executions.resume', { id, ...more }, actor);
const signal = (id: string, data: JsonObject = {}) =>
  house.t.call('executions.signal', { id, signal: 'go', data }, house.ann);
const ids = async (query: string): Promise<string[]> =>
  (await house.t.call('executions.visibility', { query }, house.ann)).data.map(({ id }) => id);
const kinds = async (id: string): Promise<string[]> => (await house.get(id)).waiting.map(({ kind }) => kind);
const detail = (id: string) => house.t.call('executions.detail', { id }, house.ann);

/** A run that waits for the signal `go`, of a workflow of its own. */
async function waiting(rest: JsonObject = {}): Promise<string> {
  const workflow = await house.workflow(
    [
      { id: 'ask', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'end', type: 'set', config: { v: '{{ steps.ask.v }}' } },
    ],
    rest,
  );
  const id = await house.start(workflow);
  await house.waiting(id);
  return id;
}

/** Waits until the run's journal has a status event that says so. */
const recorded = (id: string, paused: boolean): Promise<JsonObject> =>
  until(`execution ${id} has recorded paused: ${paused}`, async () => {
    const { events } = await house.t.call('executions.events', { id, audience: 'tenant' }, house.ann);
    const last = events.findLast(({ event }) => event === 'status');
    return last?.data.paused === paused ? last.data : null;
  });

/** What a paused run waits for, once its host has stored it: while a host records the pause, the run waits for nothing else. */
const storedWaits = (id: string): Promise<string[]> =>
  until(`execution ${id} has stored its waits`, async () => {
    const found = await kinds(id);
    return found.length > 1 ? found : null;
  });

it('shows the pause with its reason, keeps a signal, and goes on when it is resumed', async () => {
  const id = await waiting();
  const view = await pause(id, { reason: 'check the numbers' });
  const shown = { kind: 'paused', step_id: null, until: null, by: house.ann.email, reason: 'check the numbers' };
  expect(view.status).toBe('running');
  expect(view.waiting[0]).toMatchObject(shown);
  await recorded(id, true);
  expect(await storedWaits(id)).toEqual(['paused', 'signal']);
  await signal(id, { v: 5 });
  await recorded(id, true);
  expect((await detail(id)).steps.map(({ status }) => status)).toEqual(['waiting', 'pending']);
  expect(await resume(id)).toMatchObject({ status: 'running' });
  expect(await house.ended(id)).toMatchObject({ status: 'completed', output: { v: 5 }, waiting: [] });
  expect((await recorded(id, false)).by).toBe(house.ann.email);
});

it('is idempotent, and keeps the first reason', async () => {
  const id = await waiting();
  await resume(id);
  await pause(id, { reason: 'first' });
  expect((await pause(id, { reason: 'second' })).waiting[0]).toMatchObject({ kind: 'paused', reason: 'first' });
  await recorded(id, true);
  await storedWaits(id);
  const { data } = await house.t.call('executions.visibility', { query: `RunId = '${id}'` }, house.ann);
  expect(data).toMatchObject([{ waiting: [{ kind: 'paused', reason: 'first' }, { kind: 'signal' }] }]);
  await resume(id);
  await resume(id);
  expect(await kinds(id)).not.toContain('paused');
});

it('is found by WaitingFor, together with other waits', async () => {
  const [paused, other] = [await waiting(), await waiting()];
  const own = `RunId IN ('${paused}', '${other}')`;
  await pause(paused);
  expect(await ids(`${own} AND WaitingFor = 'paused'`)).toEqual([paused]);
  expect(await ids(`${own} AND WaitingFor != 'paused'`)).toEqual([other]);
  expect((await ids(`${own} AND WaitingFor IN ('paused', 'signal')`)).sort()).toEqual([paused, other].sort());
  expect(await ids(`${own} AND WaitingFor STARTS_WITH 'pa'`)).toEqual([paused]);
  expect(await ids(`${own} AND WaitingFor IS NULL`)).toEqual([]);
  await house.t.call('executions.cancel', { id: paused }, house.ann);
  expect(await ids(`${own} AND WaitingFor = 'paused'`)).toEqual([]);
});

it('is cancelled while it is paused, and then neither pauses nor resumes', async () => {
  const id = await waiting();
  await pause(id);
  expect(await house.t.call('executions.cancel', { id }, house.ann)).toMatchObject({
    status: 'cancelled',
    waiting: [],
  });
  expect(await codeOf(pause(id))).toBe('execution_ended');
  expect(await codeOf(resume(id))).toBe('execution_ended');
});

it('cannot be paused while it cleans up', async () => {
  const workflow = await house.workflow([
    { id: 'a', type: 'set', config: {}, compensate: [{ id: 'nap', type: 'wait', config: { for: '1h' } }] },
    { id: 'ask', type: 'wait_for_signal', config: { signal: 'go' } },
  ]);
  const id = await house.start(workflow);
  await house.waiting(id);
  await pause(id);
  await house.t.call('executions.cancel', { id }, house.ann);
  await until('it cleans up', async () => (await kinds(id)).includes('timer'));
  expect(await kinds(id)).toEqual(['timer']);
  expect(await codeOf(pause(id))).toBe('conflict');
  expect(await resume(id)).toMatchObject({ status: 'running' });
});

it('ends at its own timeout while it is paused', async () => {
  const id = await waiting({ timeout: '1s' });
  await pause(id);
  expect(await house.ended(id)).toMatchObject({ status: 'failed', error: { code: 'timed_out' }, waiting: [] });
});

it('keeps the permit of its concurrency key', async () => {
  const workflow = await house.workflow([{ id: 'ask', type: 'wait_for_signal', config: { signal: 'go' } }], {
    concurrency: { key: 'one', limit: 1 },
  });
  const first = await house.start(workflow);
  await house.waiting(first);
  await pause(first);
  await recorded(first, true);
  const second = await house.start(workflow);
  await until('the second waits for the permit', async () => (await kinds(second)).includes('slot'));
  await signal(first);
  await recorded(first, true);
  expect(await kinds(second)).toEqual(['slot']);
  await resume(first);
  await house.ended(first);
  await until('the second has the permit', async () => (await kinds(second)).includes('signal'));
});

it('does not hide an approval, and decides it when it is resumed', async () => {
  const workflow = await house.workflow([{ id: 'ok', type: 'approval', config: { message: 'Go?' } }]);
  const id = await house.start(workflow);
  await house.waiting(id);
  await pause(id);
  await recorded(id, true);
  await storedWaits(id);
  const open = async () => {
    const { data } = await house.t.call('executions.approvals', { kind: 'approval' }, house.ann);
    return data.filter(({ execution_id }) => execution_id === id);
  };
  expect(await open()).toHaveLength(1);
  const decide = () =>
    house.t.call('executions.signal', { id, signal: 'approve-ok', data: { approved: true } }, house.ann);
  await decide();
  expect(await open()).toEqual([]);
  expect(await codeOf(decide())).toBe('already_decided');
  await resume(id);
  expect(await house.ended(id)).toMatchObject({ output: { approved: true } });
});

it('is paused and resumed in bulk', async () => {
  const runs = [await waiting(), await waiting()];
  const query = `RunId IN ('${runs.join("', '")}')`;
  const bulk = (action: 'pause' | 'resume') =>
    house.t.call('executions.bulk', { query, action, reason: 'release' }, house.ann);
  expect(await bulk('pause')).toMatchObject({ matched: 2, accepted: 2, refused: [] });
  for (const id of runs) expect((await house.get(id)).waiting[0]).toMatchObject({ kind: 'paused', reason: 'release' });
  expect(await bulk('resume')).toMatchObject({ accepted: 2 });
  for (const id of runs) expect(await kinds(id)).not.toContain('paused');
});

it('is refused for runs of another tenant, and with a reason that is too long', async () => {
  const id = await waiting();
  expect(await codeOf(pause(id, {}, house.bob))).toBe('not_found');
  expect(await codeOf(resume(id, {}, house.bob))).toBe('not_found');
  expect(await codeOf(pause(id, { reason: 'x'.repeat(501) }))).toBe('invalid_request');
  expect(await kinds(id)).toEqual(['signal']);
});

it('settles on the last of many requests at once', async () => {
  const id = await waiting();
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? pause(id) : resume(id))),
  );
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'conflict' });
  await pause(id);
  await recorded(id, true);
  expect(await storedWaits(id)).toEqual(['paused', 'signal']);
  await signal(id, { v: 1 });
  await resume(id);
  expect((await house.ended(id)).status).toBe('completed');
});

it('shows a paused run to no public caller but as running', async () => {
  const id = await waiting();
  await pause(id, { reason: 'internal' });
  await recorded(id, true);
  const { events } = await house.t.call('executions.events', { id, audience: 'public' }, house.ann);
  expect(events.at(-1)?.data).toMatchObject({ status: 'running', paused: true });
  expect(JSON.stringify(events)).not.toContain('internal');
});
