import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { type House, openHouse } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const call = (config: JsonObject, more: JsonObject = {}): Json => ({
  id: 'call',
  type: 'sub_workflow',
  config,
  ...more,
});
const signal = (id: string): Json => ({ id, type: 'wait_for_signal', config: { signal: 'go' } });
const set = (config: JsonObject): Json => ({ id: 's', type: 'set', config });
const send = (id: string, data: JsonObject = {}) =>
  house.t.call('executions.signal', { id, signal: 'go', data }, house.ann);
const cancel = (id: string) => house.t.call('executions.cancel', { id }, house.ann);

/** Waits until a run waits for just this. */
const waitsFor = (id: string, kind: string): Promise<unknown> =>
  until(`execution ${id} waits for a ${kind}`, async () => (await house.get(id)).waiting[0]?.kind === kind);

/** The run that the step of another one has started. */
const childOf = async (id: string): Promise<string> => {
  await waitsFor(id, 'child');
  const { waiting } = await house.get(id);
  expect(waiting).toMatchObject([{ step_id: 'call', until: null }]);
  return waiting[0]?.name as string;
};

describe('a step that runs another workflow', () => {
  it('by its name waits for its end, and puts out what it returns', async () => {
    const dsl = { id: 'double', trigger: { type: 'manual' }, steps: [signal('w'), set({ v: '{{ trigger.n * 2 }}' })] };
    await house.t.call('workflows.create', { name: 'Double it', dsl }, house.ann);
    const parent = await house.start(await house.workflow([call({ workflow: 'Double it', input: { n: 21 } })]));
    const child = await childOf(parent);
    expect(await house.waiting(child)).toMatchObject({ parent, trigger_type: 'sub_workflow', input: { n: 21 } });
    await send(child);
    expect(await house.ended(parent)).toMatchObject({
      status: 'completed',
      output: { execution_id: child, status: 'completed', output: { v: 42 } },
    });
  });

  it('carries outputs that no message carries', async () => {
    const other = await house.workflow([set({ text: '{{ pad("x", 400000, "ü") }}' })]);
    const steps = [call({ workflow: other }), set({ size: '{{ length(steps.call.output.text) }}' })];
    expect(await house.ended(await house.start(await house.workflow(steps)))).toMatchObject({
      output: { size: 400_000 },
    });
  });

  it('fails with a clear message when that one is disabled, removed, or of another user', async () => {
    const other = await house.workflow([set({})]);
    const steps = [call({ workflow: other })];
    await house.t.call('workflows.disable', { id: other }, house.ann);
    expect((await house.ended(await house.start(await house.workflow(steps)))).error).toMatchObject({
      code: 'workflow_disabled',
      step_id: 'call',
    });
    await house.t.call('workflows.remove', { id: other, force: true }, house.ann);
    expect((await house.ended(await house.start(await house.workflow(steps)))).error).toMatchObject({
      code: 'not_found',
    });
    const dsl = { id: 'theirs', trigger: { type: 'manual' }, steps: [set({})] };
    const theirs = await house.t.call('workflows.create', { name: 'Theirs', dsl }, house.bob);
    for (const workflow of [theirs.id, 'Theirs']) {
      const parent = await house.start(await house.workflow([call({ workflow })]));
      expect((await house.ended(parent)).error).toMatchObject({ code: 'not_found' });
    }
  });

  it('is cancelled with its parent, and tells its parent when it is cancelled itself', async () => {
    const other = await house.workflow([signal('w')]);
    const [first, second] = [
      await house.start(await house.workflow([call({ workflow: other })])),
      await house.start(await house.workflow([call({ workflow: other })])),
    ];
    const [kept, lost] = [await childOf(first), await childOf(second)];
    await cancel(first);
    expect(await house.ended(kept)).toMatchObject({ status: 'cancelled' });
    await cancel(lost);
    expect(await house.ended(second)).toMatchObject({ status: 'failed', error: { code: 'child_cancelled' } });
  });

  it('whose workflow is removed in between goes on as after a cancellation', async () => {
    const other = await house.workflow([signal('w')]);
    const parent = await house.start(await house.workflow([call({ workflow: other })]));
    await childOf(parent);
    await house.t.call('workflows.remove', { id: other, force: true }, house.ann);
    expect(await house.ended(parent)).toMatchObject({ status: 'failed', error: { code: 'child_cancelled' } });
  });
});

describe('runs with one concurrency key', () => {
  const flow = (more: JsonObject = {}) =>
    house.workflow([signal('w')], { concurrency: { key: '{{ trigger.order }}', ...more } });

  it('go on one after the other, in the order in which they came; others beside them', async () => {
    const id = await flow();
    const first = await house.start(id, { order: 7 });
    await waitsFor(first, 'signal');
    const second = await house.start(id, { order: 7 });
    await waitsFor(second, 'slot');
    expect((await house.get(second)).waiting).toMatchObject([{ name: '7', step_id: null, until: null }]);
    const other = await house.start(id, { order: 8 });
    await waitsFor(other, 'signal');
    await send(first, { n: 1 });
    await waitsFor(second, 'signal');
    for (const one of [second, other]) await send(one, { n: 2 });
    expect((await house.ended(second)).output).toEqual({ n: 2 });
    await house.ended(other);
  });

  it('are skipped, or replace the running ones, as the document says', async () => {
    const skip = await flow({ on_conflict: 'skip' });
    const first = await house.start(skip, { order: 1 });
    await waitsFor(first, 'signal');
    expect(await house.ended(await house.start(skip, { order: 1 }))).toMatchObject({
      status: 'cancelled',
      error: { code: 'concurrency_conflict' },
    });
    const replace = await flow({ on_conflict: 'cancel_running' });
    const older = await house.start(replace, { order: 1 });
    await waitsFor(older, 'signal');
    const newer = await house.start(replace, { order: 1 });
    expect((await house.ended(older)).status).toBe('cancelled');
    await waitsFor(newer, 'signal');
    for (const one of [first, newer]) await send(one);
  });

  it('whose workflow is removed leave no place behind', async () => {
    const id = await flow();
    const runs = [await house.start(id, { order: 9 }), await house.start(id, { order: 9 })];
    for (const run of runs) await house.waiting(run);
    await house.t.call('workflows.remove', { id }, house.ann);
    await until('no place is held', async () => {
      const held = await house.t.app.db.collection('groups').countDocuments({ 'holders.id': { $in: runs } });
      return held === 0;
    });
  });
});
