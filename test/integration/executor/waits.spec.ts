import { randomId } from '../../../lib/ids';
import type { Json, JsonObject } from '../../../lib/json';
import type { Actor } from '../../support/app';
import { until } from '../../support/until';
import { codeOf, type House, openHouse } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const approval = (id: string, config: JsonObject = {}): Json => ({
  id,
  type: 'approval',
  config: { message: 'Ship it?', ...config },
});
const signal = (id: string, name: string): Json => ({ id, type: 'wait_for_signal', config: { signal: name } });
const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const decide = (id: string, step: string, approved: boolean, actor: Actor = house.ann) =>
  house.t.call('executions.signal', { id, signal: `approve-${step}`, data: { approved } }, actor);
const byLink = (id: string, step_id: string, decision?: 'approve' | 'reject') =>
  house.t.call('executions.decide_by_link', { id, step_id, ...(decision ? { decision } : {}) });

describe('a signal', () => {
  it('completes the step that waits for its name, with its data', async () => {
    const id = await house.start(await house.workflow([signal('s', 'go')]));
    expect((await house.waiting(id)).waiting).toMatchObject([
      { step_id: 's', kind: 'signal', name: 'go', until: null },
    ]);
    const answer = await house.t.call('executions.signal', { id, signal: 'go', data: { v: 1 } }, house.ann);
    expect(answer).toEqual({ accepted: true, execution_id: id, signal: 'go' });
    expect(await house.ended(id)).toMatchObject({ status: 'completed', output: { v: 1 } });
    expect(await codeOf(house.t.call('executions.signal', { id, signal: 'go' }, house.ann))).toBe('execution_ended');
  });

  it('that comes early is kept until its step waits, and each is taken once', async () => {
    const id = await house.start(await house.workflow([approval('first'), signal('a', 'go'), signal('b', 'go')]));
    await house.waiting(id);
    for (const v of [1, 2]) await house.t.call('executions.signal', { id, signal: 'go', data: { v } }, house.ann);
    await decide(id, 'first', true);
    await house.ended(id);
    const { steps } = await house.t.call('executions.detail', { id }, house.ann);
    expect(steps.slice(1).map(({ output }) => output)).toEqual([{ v: 1 }, { v: 2 }]);
  });

  it("of the service's own kind cannot be sent", async () => {
    const id = await house.start(await house.workflow([signal('s', 'go')]));
    expect(await codeOf(house.t.call('executions.signal', { id, signal: '$cancel' }, house.ann))).toBe(
      'invalid_request',
    );
    await house.t.call('executions.cancel', { id }, house.ann);
  });
});

describe('a signal that a step of another run sends', () => {
  const deliver = (id: string, name: string, data: JsonObject, message_id: string, tenant = house.ann.tenant_id) =>
    house.t.call(
      'executions.deliver',
      { id, signal: name, data, message_id, by: 'execution x' },
      { tenant_id: tenant, role: 'service' },
    );

  it('is taken once, however often it is sent, also when the run has ended since', async () => {
    const id = await house.start(await house.workflow([signal('a', 'go'), signal('b', 'go')]));
    await house.waiting(id);
    const [first, second] = [randomId(), randomId()];
    await deliver(id, 'go', { v: 1 }, first);
    await deliver(id, 'go', { v: 1 }, first);
    await until('the second waits', async () => (await house.get(id)).waiting[0]?.step_id === 'b');
    await deliver(id, 'go', { v: 2 }, second);
    expect((await house.ended(id)).output).toEqual({ v: 2 });
    expect(await deliver(id, 'go', { v: 2 }, second)).toMatchObject({ accepted: true });
    expect(await codeOf(deliver(id, 'go', { v: 3 }, randomId()))).toBe('execution_ended');
  });

  it('may decide an approval that names no approver, and repeat the decision without an effect', async () => {
    const open = await house.start(await house.workflow([approval('ok'), signal('s', 'go')]));
    await house.waiting(open);
    const message = randomId();
    for (let n = 0; n < 2; n += 1) await deliver(open, 'approve-ok', { approved: true }, message);
    expect(await codeOf(deliver(open, 'approve-ok', { approved: false }, randomId()))).toBe('already_decided');
    await deliver(open, 'go', {}, randomId());
    await house.ended(open);
    expect(await deliver(open, 'approve-ok', { approved: true }, message)).toMatchObject({ accepted: true });
    const named = await house.start(await house.workflow([approval('ok', { approvers: ['admin'] })]));
    await house.waiting(named);
    expect(await codeOf(deliver(named, 'approve-ok', { approved: true }, randomId()))).toBe('forbidden');
    await house.t.call('executions.cancel', { id: named }, house.ann);
  });

  it('reaches no run of another tenant, and no person can send one so', async () => {
    const id = await house.start(await house.workflow([signal('a', 'go')]));
    await house.waiting(id);
    expect(await codeOf(deliver(id, 'go', {}, randomId(), house.bob.tenant_id))).toBe('not_found');
    const person = house.t.call(
      'executions.deliver',
      { id, signal: 'go', data: {}, message_id: randomId(), by: 'me' },
      house.ann,
    );
    expect(await codeOf(person)).toBe('forbidden');
    await house.t.call('executions.cancel', { id }, house.ann);
  });
});

describe('an approval', () => {
  it('is listed, and decided by a signal, once', async () => {
    const id = await house.start(
      await house.workflow([
        approval('ok', { form: { type: 'object' } }),
        set('after', { v: '{{ steps.ok.approved }}' }),
      ]),
    );
    await house.waiting(id);
    const rows = (await house.t.call('executions.approvals', {}, house.ann)).data;
    expect(rows.find((row) => row.execution_id === id)).toMatchObject({
      step_id: 'ok',
      workflow_name: 'Flow',
      message: 'Ship it?',
      form: { type: 'object' },
      approve_url: expect.stringContaining(`/api/v1/executions/${id}/approve/ok?decision=approve`),
    });
    expect((await house.t.call('executions.approvals', {}, house.bob)).data).toEqual([]);
    const results = await Promise.allSettled([decide(id, 'ok', true), decide(id, 'ok', false), decide(id, 'ok', true)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const refusal of refusals)
      expect(['already_decided', 'execution_ended']).toContain((refusal as { type: string }).type);
    await house.ended(id);
    const { steps } = await house.t.call('executions.detail', { id }, house.ann);
    expect(steps[0]?.output).toMatchObject({ decided_by: house.ann.email, comment: null });
  });

  it('is shown and decided by its link, without a credential; the second decision returns the first', async () => {
    const id = await house.start(await house.workflow([approval('ok')]));
    await house.waiting(id);
    expect(await byLink(id, 'ok')).toEqual({ execution_id: id, step_id: 'ok', message: 'Ship it?', approved: null });
    expect((await house.get(id)).status).toBe('running');
    expect(await byLink(id, 'ok', 'reject')).toMatchObject({ approved: false });
    expect((await house.ended(id)).output).toMatchObject({ approved: false, decided_by: 'link' });
    expect(await codeOf(byLink(id, 'ok', 'approve'))).toBe('already_decided');
    expect(await byLink(id, 'ok')).toMatchObject({ approved: false });
    expect(await codeOf(byLink(id, 'nope', 'approve'))).toBe('not_found');
    expect(await codeOf(byLink('01900000-0000-7000-8000-000000000000', 'ok', 'approve'))).toBe('not_found');
  });

  it('needs a clear word, and a step that is there', async () => {
    const id = await house.start(await house.workflow([approval('ok')]));
    await house.waiting(id);
    const vague = house.t.call('executions.signal', { id, signal: 'approve-ok', data: {} }, house.ann);
    expect(await codeOf(vague)).toBe('invalid_request');
    expect(await codeOf(decide(id, 'none', true))).toBe('not_found');
    await house.t.call('executions.cancel', { id }, house.ann);
  });

  it('that names its approvers is theirs alone, before it is asked as well', async () => {
    const carl = { ...house.ann, user_id: 'carl', email: 'carl@example.com', role: 'member' } as const;
    const workflow = await house.workflow([
      signal('first', 'go'),
      approval('ok', { approvers: ['carl@example.com', 'admin'] }),
    ]);
    const id = await house.start(workflow);
    await house.waiting(id);
    const dora = { ...house.ann, user_id: 'dora', email: 'dora@example.com', role: 'member' } as const;
    expect(await codeOf(decide(id, 'ok', true, dora))).toBe('forbidden');
    await house.t.call('executions.signal', { id, signal: 'go' }, house.ann);
    await until('the approval is asked', async () => (await house.get(id)).waiting[0]?.step_id === 'ok');
    expect(await codeOf(decide(id, 'ok', true, dora))).toBe('forbidden');
    await decide(id, 'ok', true, carl);
    expect((await house.ended(id)).output).toMatchObject({ approved: true, decided_by: 'carl@example.com' });
  });

  it('decided before it is asked counts when it is', async () => {
    const id = await house.start(await house.workflow([signal('first', 'go'), approval('ok')]));
    await house.waiting(id);
    await decide(id, 'ok', true);
    expect(await codeOf(decide(id, 'ok', false))).toBe('already_decided');
    await house.t.call('executions.signal', { id, signal: 'go' }, house.ann);
    expect((await house.ended(id)).output).toMatchObject({ approved: true });
  });
});

describe('a pause', () => {
  it('longer than a run lingers leaves memory, and a caller who waits is answered at its end', async () => {
    const workflow = await house.workflow([
      { id: 'w', type: 'wait', config: { for: '1500ms' } },
      set('after', { v: 1 }),
    ]);
    const before = Date.now();
    const answering = house.sync(workflow);
    const service = { tenant_id: house.ann.tenant_id, role: 'service' } as const;
    await until('the run waits', async () => {
      const { data } = await house.t.call('executions.list', { workflow_id: workflow }, house.ann);
      const row = data[0];
      return row === undefined ? null : (await house.get(row.id)).waiting[0]?.kind === 'timer';
    });
    await until(
      'it leaves memory',
      async () => (await house.t.call('executor.ready', {}, service)).running === 0,
      before + 1_400 - Date.now(),
    );
    expect(await answering).toMatchObject({ status: 'completed', output: { v: 1 } });
    const took = Date.now() - before;
    expect(took).toBeGreaterThanOrEqual(1_490);
    expect(took).toBeLessThan(4_000);
  });

  it('shorter than that stays', async () => {
    const workflow = await house.workflow([{ id: 'w', type: 'wait', config: { for: '200ms' } }]);
    const { id, status } = await house.sync(workflow);
    expect(status).toBe('completed');
    const row = await house.t.app.db.collection<{ _id: string; epoch: number }>('executions').findOne({ _id: id });
    expect(row?.epoch).toBe(1);
  });

  it('of a run whose caller gave up shows how it stands', async () => {
    const workflow = await house.workflow([signal('s', 'go')]);
    const startable = await house.t.call(
      'workflows.startable',
      { id: workflow },
      { tenant_id: house.ann.tenant_id, role: 'service' },
    );
    if (startable === null) throw new Error('not startable');
    const started = await house.t.call(
      'executor.start',
      {
        execution_id: randomId(),
        workflow_id: workflow,
        workflow_name: startable.name,
        env: startable.env,
        plan_hash: startable.plan_hash,
        trigger_type: 'manual',
        trigger: {},
        record: true,
        wait_ms: 300,
      },
      { tenant_id: house.ann.tenant_id, role: 'service' },
    );
    expect(started).toMatchObject({ status: 'running', record: { waiting: [{ kind: 'signal', name: 'go' }] } });
    expect(await house.t.call('executions.cancel', { id: started.id }, house.ann)).toMatchObject({
      status: 'cancelled',
    });
  });
});
