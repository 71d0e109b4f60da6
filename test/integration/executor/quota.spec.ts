import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase } from '../../support/app';
import { LeapingClock } from '../../support/leaping-clock';
import { until } from '../../support/until';
import { sendWebhook } from '../../support/webhooks';
import { codeOf, type House, openHouse } from './house';

const LIMIT = 5;
const STEP = [{ id: 'a', type: 'set', config: { values: { one: 1 } } }];

describe('executions a month', () => {
  let dir: string;
  let env: Record<string, string>;
  let house: House;
  const clock = new LeapingClock();

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'quota-'));
    env = { PLANS_FILE: join(dir, 'plans.json') };
    await writeFile(env.PLANS_FILE as string, JSON.stringify({ free: { executions_per_month: LIMIT } }));
  });
  beforeEach(async () => {
    house = await openHouse({ env, clock });
  });
  afterEach(() => house.close());
  afterAll(() => rm(dir, { recursive: true }));

  const used = async (): Promise<number> =>
    (await house.t.call('executions.usage', {}, { tenant_id: house.ann.tenant_id, role: 'service' })).executions;
  const starts = (workflow: string, n: number) => Promise.all(Array.from({ length: n }, () => house.start(workflow)));

  test('as many as the plan allows are started when callers compete for the last one', async () => {
    const workflow = await house.workflow(STEP);
    const outcomes = await Promise.allSettled(Array.from({ length: 3 * LIMIT }, () => house.start(workflow)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(new Set(refused.map(({ type, code }) => `${code} ${type}`))).toEqual(new Set(['402 quota_exceeded']));
    expect(await used()).toBe(LIMIT);
  });

  test('every way to start is refused then', async () => {
    const workflow = await house.workflow([...STEP, { id: 'b', type: 'fail', config: { message: 'no' } }]);
    const { key } = await house.t.call('workflows.create_key', { id: workflow, name: 'k' }, house.ann);
    const [failed] = (await starts(workflow, LIMIT)) as [string];
    await house.ended(failed);
    expect(await codeOf(house.start(workflow))).toBe('quota_exceeded');
    expect(await codeOf(sendWebhook(house.t, { workflow_id: workflow }))).toBe('quota_exceeded');
    expect(await codeOf(sendWebhook(house.t, { workflow_id: workflow, wait: true }))).toBe('quota_exceeded');
    expect(await codeOf(sendWebhook(house.t, { workflow_id: workflow, key }))).toBe('quota_exceeded');
    expect(await codeOf(house.t.call('executions.retry', { id: failed }, house.ann))).toBe('quota_exceeded');
  });

  test('a workflow that is triggered by a signal is not started then, and the sender gets the reason', async () => {
    const flow = { id: 'flow', trigger: { type: 'signal', config: { signal: 'go' } }, steps: STEP };
    await house.t.call('workflows.create', { name: 'By signal', dsl: flow }, house.ann);
    await starts(await house.workflow(STEP), LIMIT);
    const { started, refused } = await house.t.call('workflows.signal', { signal: 'go' }, house.ann);
    expect(started).toEqual([]);
    expect(refused).toMatchObject([{ code: 'quota_exceeded' }]);
  });

  test('runs that steps start do not count, and are not refused', async () => {
    const child = await house.workflow(STEP);
    const parent = await house.workflow([{ id: 'sub', type: 'sub_workflow', config: { workflow: child } }]);
    const ids = await starts(parent, LIMIT);
    for (const id of ids) expect(await house.ended(id)).toMatchObject({ status: 'completed' });
    expect(await used()).toBe(LIMIT);
  });

  test('another tenant, and the next month, have their own', async () => {
    const workflow = await house.workflow(STEP);
    await starts(workflow, LIMIT);
    const other = { name: 'Flow', dsl: { id: 'flow', trigger: { type: 'manual' }, steps: STEP } };
    const { id } = await house.t.call('workflows.create', other, house.bob);
    await house.t.call('workflows.trigger', { id, trigger: {} }, house.bob);
    clock.leap(31 * 24 * 3_600_000);
    await house.start(workflow);
    expect(await used()).toBe(1);
  });

  test('a start that happened before finds its run', async () => {
    const workflow = await house.workflow(STEP);
    const again = { id: workflow, trigger: {}, idempotency_key: 'once' };
    const first = await house.t.call('workflows.trigger', again, house.ann);
    await starts(workflow, LIMIT - 1);
    expect(await house.t.call('workflows.trigger', again, house.ann)).toMatchObject({ id: first.id, replayed: true });
    expect(await codeOf(house.start(workflow))).toBe('quota_exceeded');
  });

  test('what does not start takes no place', async () => {
    const inputs = { inputs: { type: 'object', required: ['name'] } };
    const picky = await house.workflow(STEP, inputs);
    for (let n = 0; n < 2 * LIMIT; n += 1) expect(await codeOf(house.start(picky))).toBe('invalid_input');
    await starts(await house.workflow(STEP), LIMIT);
    expect(await used()).toBe(LIMIT);
  });

  test('a process that restarts goes on counting from the records', async () => {
    const database = await openTestDatabase();
    const first = await openHouse({ env, clock, database });
    const workflow = await first.workflow(STEP);
    for (let n = 0; n < LIMIT - 1; n += 1) await first.start(workflow);
    await first.close();
    // Between processes the count is a second behind, and no process is up again in less.
    clock.leap(1_000);
    const second = await openHouse({ env, clock, database });
    const start = (): Promise<unknown> => second.t.call('workflows.trigger', { id: workflow, trigger: {} }, first.ann);
    await start();
    expect(await codeOf(start())).toBe('quota_exceeded');
    await second.close();
    await database.close();
  });

  test('deleting a workflow gives nothing back, now or later, and repeating it changes nothing', async () => {
    const workflow = await house.workflow(STEP);
    const ids = await starts(workflow, LIMIT);
    await Promise.all(ids.map((id) => house.ended(id)));
    const service = { tenant_id: house.ann.tenant_id, role: 'service' } as const;
    const purge = () => house.t.call('executions.purge', { workflow_id: workflow }, service);
    const both = await Promise.all([purge(), purge()]);
    expect(both.reduce((sum, { removed }) => sum + removed, 0)).toBe(LIMIT);
    expect(await purge()).toEqual({ removed: 0 });
    expect(await used()).toBe(LIMIT);
    expect(await codeOf(house.start(await house.workflow(STEP)))).toBe('quota_exceeded');
    clock.leap(10 * 60_000);
    expect(await used()).toBe(LIMIT);
  });

  test('a removal that was cut off is finished by the next one, and counts once', async () => {
    const workflow = await house.workflow(STEP);
    const ids = await starts(workflow, 3);
    await Promise.all(ids.map((id) => house.ended(id)));
    const { db } = house.t.app;
    const month = new Date(clock.now()).toISOString().slice(0, 7);
    // The state after a process has died that deleted the records of two runs before it counted any.
    await used();
    const usage = db.collection<{ _id: string }>('usage');
    const _id = `${house.ann.tenant_id}:${month}`;
    await until('the month has its document', async () => ((await usage.findOne({ _id })) === null ? null : true));
    const removing = { key: randomUUID(), ids, runs: 3 };
    await usage.updateOne({ _id }, { $set: { removing }, $inc: { rev: 1 } });
    await db.collection<{ _id: string }>('executions').deleteMany({ _id: { $in: ids.slice(0, 2) } });
    expect(await used()).toBe(3);
    const other = await house.workflow(STEP);
    await house.ended(await house.start(other));
    const service = { tenant_id: house.ann.tenant_id, role: 'service' } as const;
    await house.t.call('executions.purge', { workflow_id: other }, service);
    expect(await usage.findOne({ _id })).toMatchObject({ removing: null });
    expect(await used()).toBe(4);
  });
});
