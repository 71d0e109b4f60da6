import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { Json, JsonObject } from '../../../lib/json';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import type { RunCause } from '../../../contracts/workflows/views';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { codeOf, FakeAuth, FakeExecutor } from './fakes';

let database: TestDatabase;
let app: TestApp;
const auth = new FakeAuth();
const executor = new FakeExecutor();
let actor: Actor;
let tenants = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  app = await startApp({ services: [auth.service, executor.service, secretsService, workflowsService], database });
});

afterAll(async () => {
  await app?.close();
  await database?.close();
});

beforeEach(() => {
  tenants += 1;
  actor = { tenant_id: `tenant-${tenants}`, user_id: 'user-1', role: 'owner' };
  executor.runs.clear();
  executor.startFaults.length = 0;
});

const listening = async (trigger: Json, name = 'Listener', config: JsonObject = {}): Promise<string> => {
  const dsl = { id: 'flow', trigger, steps: [{ id: 's', type: 'set', config }] };
  return (await app.call('workflows.create', { name, dsl }, actor)).id;
};
const onSignal = (signal: string): Json => ({ type: 'signal', config: { signal } });
const signal = (name: string, more: { data?: JsonObject; idempotency_key?: string } = {}) =>
  app.call('workflows.signal', { signal: name, ...more }, actor);

const ended = (more: Partial<Extract<RunCause, { kind: 'ended' }>> = {}): RunCause => ({
  kind: 'ended',
  execution_id: randomId(),
  workflow_id: 'w1',
  workflow_name: 'Orders',
  status: 'failed',
  output: null,
  error: { code: 'x', message: 'no', step_id: 'pay' },
  trigger_type: 'http',
  ...more,
});
const react = (cause: RunCause, depth = 1) =>
  app.call('workflows.react', { cause, depth }, { tenant_id: actor.tenant_id, role: 'service' });
const startedIds = ({ started }: { started: { workflow_id: string }[] }) => started.map((each) => each.workflow_id);

describe('a signal', () => {
  test('starts every workflow of the tenant that has a trigger of its name, and tells which', async () => {
    const [first, second] = [await listening(onSignal('paid'), 'One'), await listening(onSignal('paid'), 'Two')];
    await listening(onSignal('sent'), 'Three');
    const other = { ...actor, tenant_id: `${actor.tenant_id}-other` };
    const dsl = { id: 'flow', trigger: onSignal('paid'), steps: [{ id: 's', type: 'set', config: {} }] };
    await app.call('workflows.create', { name: 'Theirs', dsl }, other);
    const answer = await signal('paid', { data: { order: 7 } });
    expect(answer).toMatchObject({ accepted: true, signal: 'paid', refused: [] });
    expect(startedIds(answer)).toEqual([first, second]);
    expect([...executor.runs.keys()].sort()).toEqual(answer.started.map(({ execution_id }) => execution_id).sort());
    for (const { tenant, params } of executor.runs.values()) {
      expect(tenant).toBe(actor.tenant_id);
      expect(params).toMatchObject({
        trigger_type: 'signal',
        trigger: { signal: 'paid', data: { order: 7 }, execution_id: null },
        depth: 0,
      });
    }
  });

  test('without a subscriber starts nothing', async () => {
    await listening(onSignal('paid'));
    expect(await signal('sent')).toEqual({ accepted: true, signal: 'sent', started: [], refused: [] });
  });

  test('starts nothing that is disabled, or waits for approval', async () => {
    const id = await listening(onSignal('paid'));
    auth.tenants.set(actor.tenant_id, { approval: true });
    const member: Actor = { ...actor, role: 'member' };
    const dsl = { id: 'flow', trigger: onSignal('paid'), steps: [{ id: 's', type: 'set', config: {} }] };
    await app.call('workflows.create', { name: 'Pending', dsl }, member);
    await app.call('workflows.disable', { id }, actor);
    expect((await signal('paid')).started).toEqual([]);
    await app.call('workflows.enable', { id }, actor);
    expect(startedIds(await signal('paid'))).toEqual([id]);
  });

  test('goes where the workflow listens now', async () => {
    const id = await listening(onSignal('old'));
    const dsl = { id: 'flow', trigger: onSignal('new'), steps: [{ id: 's', type: 'set', config: {} }] };
    await app.call('workflows.update', { id, dsl }, actor);
    expect((await signal('old')).started).toEqual([]);
    expect(startedIds(await signal('new'))).toEqual([id]);
  });

  test('that is sent again under its idempotency key starts nothing twice; without one it is another', async () => {
    await listening(onSignal('paid'));
    const [first, again] = [
      await signal('paid', { idempotency_key: 'k' }),
      await signal('paid', { idempotency_key: 'k' }),
    ];
    expect(again.started).toEqual(first.started);
    expect(executor.runs.size).toBe(1);
    await signal('paid');
    await signal('paid');
    expect(executor.runs.size).toBe(3);
  });

  test('tells which workflows could not be started, and starts the others', async () => {
    const needy = await listening(onSignal('paid'), 'Needy', { key: '{{ secret.NOT_THERE }}' });
    const fine = await listening(onSignal('paid'), 'Fine');
    const answer = await signal('paid');
    expect(startedIds(answer)).toEqual([fine]);
    expect(answer.refused).toMatchObject([{ workflow_id: needy, code: 'unknown_secret' }]);
  });

  test('starts the rest when it is sent again after a fault that passed', async () => {
    for (const name of ['One', 'Two', 'Three']) await listening(onSignal('paid'), name);
    executor.startFaults.push(null, new AppError('timed_out', 'no answer'));
    expect(await codeOf(signal('paid', { idempotency_key: 'k' }))).toBe('unavailable');
    expect(executor.runs.size).toBe(2);
    expect((await signal('paid', { idempotency_key: 'k' })).started).toHaveLength(3);
    expect(executor.runs.size).toBe(3);
  });

  test.each(['', '$cancel', 'approve-ask', 'x'.repeat(201)])('cannot be named %j', async (name) => {
    expect(await codeOf(signal(name))).toBe('invalid_request');
  });

  test('carries at most 256 Ki characters', async () => {
    expect(await codeOf(signal('paid', { data: { text: 'x'.repeat(300_000) } }))).toBe('payload_too_large');
  });
});

describe('the end of a run', () => {
  test('starts its subscribers once, however often the event arrives, and passes on what has happened', async () => {
    const id = await listening({ type: 'error', config: {} });
    const cause = ended();
    const first = await react(cause);
    expect(startedIds(first)).toEqual([id]);
    expect(await react(cause)).toEqual(first);
    const { kind: _, trigger_type: __, ...data } = cause as Extract<RunCause, { kind: 'ended' }>;
    expect(executor.only.params).toMatchObject({ trigger_type: 'error', trigger: data, depth: 1 });
  });

  test('starts a workflow once for each of its triggers that it fires', async () => {
    const dsl: JsonObject = {
      id: 'flow',
      triggers: [
        { type: 'error', config: {} },
        { type: 'error', config: { workflow: 'Orders' } },
        { type: 'workflow_completed', config: { workflow: 'Orders', status: 'any' } },
      ],
      steps: [{ id: 's', type: 'set', config: {} }],
    };
    const { id } = await app.call('workflows.create', { name: 'Both', dsl }, actor);
    expect(startedIds(await react(ended()))).toEqual([id, id]);
    expect([...executor.runs.values()].map(({ params }) => params.trigger_type).sort()).toEqual([
      'error',
      'workflow_completed',
    ]);
  });

  test('is asked about by hosts as words of the tenant alone', async () => {
    const topics = (tenant_id: string) => app.call('workflows.topics', {}, { tenant_id, role: 'service' });
    const id = await listening({ type: 'error', config: {} });
    await listening({ type: 'http' }, 'Other');
    expect((await topics(actor.tenant_id)).topics).toHaveLength(1);
    expect((await topics('tenant-without')).topics).toEqual([]);
    await app.call('workflows.disable', { id }, actor);
    expect((await topics(actor.tenant_id)).topics).toEqual([]);
  });

  test('cannot be sent by users', async () => {
    expect(await codeOf(app.call('workflows.react', { cause: ended(), depth: 0 }, actor))).toBe('forbidden');
  });
});

describe('a pin', () => {
  const get = (id: string) => app.call('workflows.get', { id }, actor);
  const stepsOf = async (id: string) => (await get(id)).dsl.steps;

  test('fixes the output of a step, and lets it go again; each is a change of the document', async () => {
    const id = await listening({ type: 'manual' });
    const pinned = await app.call('workflows.pin', { id, step_id: 's', output: { v: 1 } }, actor);
    expect(pinned).toMatchObject({ id, version: 2 });
    expect(await stepsOf(id)).toMatchObject([{ id: 's', pin: { v: 1 } }]);
    expect((await app.call('workflows.pin', { id, step_id: 's', output: { v: 1 } }, actor)).version).toBe(2);
    expect((await app.call('workflows.unpin', { id, step_id: 's' }, actor)).version).toBe(3);
    expect(await stepsOf(id)).toEqual([{ id: 's', type: 'set', config: {} }]);
  });

  test('reaches steps inside of others', async () => {
    const inner = { id: 'deep', type: 'set', config: {} };
    const loop = { id: 'each', type: 'foreach', config: { items: [1] }, steps: [inner] };
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [loop] };
    const { id } = await app.call('workflows.create', { name: 'Nested', dsl }, actor);
    await app.call('workflows.pin', { id, step_id: 'deep', output: {} }, actor);
    expect(await stepsOf(id)).toMatchObject([{ id: 'each', steps: [{ id: 'deep', pin: {} }] }]);
  });

  test('by several people at once is there for all their steps', async () => {
    const steps = ['a', 'b', 'c', 'd'].map((id) => ({ id, type: 'set', config: {} }));
    const { id } = await app.call(
      'workflows.create',
      { name: 'Busy', dsl: { id: 'flow', trigger: { type: 'manual' }, steps } },
      actor,
    );
    await Promise.all(
      steps.map((step) => app.call('workflows.pin', { id, step_id: step.id, output: { of: step.id } }, actor)),
    );
    expect(await stepsOf(id)).toMatchObject(steps.map((step) => ({ id: step.id, pin: { of: step.id } })));
  });

  test('needs a step that is there, one source, and a workflow of the tenant', async () => {
    const id = await listening({ type: 'manual' });
    const pin = (more: object, by = actor) => app.call('workflows.pin', { id, step_id: 's', ...more }, by);
    expect(await codeOf(pin({ step_id: 'no-such-step', output: {} }))).toBe('not_found');
    expect(await codeOf(pin({}))).toBe('invalid_request');
    expect(await codeOf(pin({ output: {}, execution_id: randomId() }))).toBe('invalid_request');
    expect(await codeOf(pin({ output: 'text' }))).toBe('invalid_request');
    expect(await codeOf(pin({ output: {} }, { ...actor, tenant_id: 'another' }))).toBe('not_found');
  });

  test('by a member waits for approval, as any change of a member', async () => {
    const id = await listening({ type: 'manual' });
    auth.tenants.set(actor.tenant_id, { approval: true });
    const view = await app.call('workflows.pin', { id, step_id: 's', output: {} }, { ...actor, role: 'member' });
    expect(view.status).toBe('pending_approval');
    const test = app.call('workflows.test_step', { id, step_id: 's' }, actor);
    expect(await codeOf(test)).toBe('workflow_pending');
  });
});
