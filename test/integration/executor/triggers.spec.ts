import type { Json, JsonObject } from '../../../lib/json';
import type { ExecutionView } from '../../../contracts/executions/views';
import { until } from '../../support/until';
import { openSite, send, type Site, type User } from './site';

let site: Site;
let ann: User;
let bob: User;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());
// One tenant for each test: triggers of one test would otherwise start by the runs of the next.
beforeEach(async () => {
  [ann, bob] = [await site.user(), await site.user()];
});

const set = (config: JsonObject): Json => ({ id: 's', type: 'set', config });
const failing: Json = { id: 'f', type: 'fail', config: { message: 'It broke', code: 'broken' } };

/** A workflow under a name, with a trigger of its own. */
async function workflow(
  user: User,
  name: string,
  trigger: Json,
  steps: Json[],
  more: JsonObject = {},
): Promise<string> {
  const dsl = { id: 'flow', trigger, steps, ...more };
  const { status, body } = await user.request('POST', '/api/v1/workflows', { name, dsl });
  if (status !== 201) throw new Error(`The workflow was refused: ${JSON.stringify(body)}`);
  return String(body.id);
}
const manual = { type: 'manual' };

/** The ended runs of a workflow, once there are so many. */
const runsOf = (user: User, workflowId: string, count: number): Promise<ExecutionView[]> =>
  until(`workflow ${workflowId} has ${count} ended runs`, async () => {
    const { body } = await user.request('GET', `/api/v1/executions?workflow_id=${workflowId}`);
    const rows = body.data as JsonObject[];
    if (rows.length < count || rows.some(({ status }) => status === 'running')) return null;
    return Promise.all(rows.map(({ id }) => user.get(String(id))));
  });

/** The runs of a workflow, once there are so many, and others have had their time to come. */
const allRunsOf = async (user: User, workflowId: string, count: number): Promise<ExecutionView[]> => {
  const probe = await workflow(user, 'Probe', manual, [set({})]);
  for (let n = 0; n < 3; n += 1) await user.run(probe);
  return runsOf(user, workflowId, count);
};

describe('a signal to the tenant', () => {
  it('starts the workflows that wait for its name, with its data', async () => {
    const id = await workflow(ann, 'On paid', { type: 'signal', config: { signal: 'paid' } }, [
      set({ order: '{{ trigger.data.order }}', name: '{{ trigger.signal }}' }),
    ]);
    const theirs = await workflow(bob, 'Theirs', { type: 'signal', config: { signal: 'paid' } }, [set({})]);
    const { status, body } = await ann.request('POST', '/api/v1/signals', { signal: 'paid', data: { order: 7 } });
    expect([status, body.accepted, body.refused]).toEqual([202, true, []]);
    expect(body.started).toMatchObject([{ workflow_id: id }]);
    const [run] = await runsOf(ann, id, 1);
    expect(run).toMatchObject({
      id: (body.started as JsonObject[])[0]?.execution_id,
      status: 'completed',
      trigger_type: 'signal',
      output: { order: 7, name: 'paid' },
    });
    expect(await allRunsOf(bob, theirs, 0)).toHaveLength(0);
  });

  it('under an idempotency key starts nothing twice, and is answered as the first time', async () => {
    const id = await workflow(ann, 'On paid', { type: 'signal', config: { signal: 'paid' } }, [set({})]);
    const post = (data: JsonObject) =>
      ann.request('POST', '/api/v1/signals', { signal: 'paid', data }, { 'idempotency-key': 'k' });
    const first = await post({ n: 1 });
    const again = await post({ n: 1 });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await post({ n: 2 })).status).toBe(409);
    expect(await runsOf(ann, id, 1)).toHaveLength(1);
  });

  it('needs a name of its own, and a credential', async () => {
    for (const body of [{}, { signal: '$cancel' }, { signal: 'approve-x' }, { signal: 7 }])
      expect((await ann.request('POST', '/api/v1/signals', body as JsonObject)).status).toBe(400);
    expect((await send(site.t, 'POST', '/api/v1/signals', { signal: 'x' })).status).toBe(401);
  });

  it('is sent by a step as well, once, to workflows or to one run', async () => {
    const listener = await workflow(ann, 'On paid', { type: 'signal', config: { signal: 'paid' } }, [
      set({ n: '{{ trigger.data.n }}', from: '{{ trigger.execution_id }}' }),
    ]);
    const waits = await workflow(ann, 'Waits', manual, [
      { id: 'w', type: 'wait_for_signal', config: { signal: 'go' } },
    ]);
    const waiting = await ann.start(waits);
    await ann.waiting(waiting);
    const sender = await workflow(ann, 'Sender', manual, [
      { id: 'all', type: 'emit_signal', config: { signal: 'paid', data: { n: 1 } } },
      {
        id: 'one',
        type: 'emit_signal',
        config: { signal: 'go', execution_id: '{{ trigger.to }}', data: { v: 2 } },
      },
    ]);
    const sent = await ann.run(sender, { to: waiting });
    expect(sent.status).toBe('completed');
    expect((await runsOf(ann, listener, 1))[0]?.output).toEqual({ n: 1, from: sent.id });
    expect((await ann.ended(waiting)).output).toEqual({ v: 2 });
    const late = await ann.run(sender, { to: waiting });
    expect(late).toMatchObject({ status: 'failed', error: { code: 'execution_ended', step_id: 'one' } });
  });

  it('to a run of another tenant is refused as if that were not there', async () => {
    const theirs = await bob.start(
      await workflow(bob, 'Waits', manual, [{ id: 'w', type: 'wait_for_signal', config: { signal: 'go' } }]),
    );
    await bob.waiting(theirs);
    const sender = await workflow(ann, 'Sender', manual, [
      { id: 'one', type: 'emit_signal', config: { signal: 'go', execution_id: '{{ trigger.to }}' } },
    ]);
    expect((await ann.run(sender, { to: theirs })).error).toMatchObject({ code: 'not_found' });
    expect((await bob.get(theirs)).status).toBe('running');
    await bob.request('POST', `/api/v1/executions/${theirs}/cancel`);
  });

  it('that a workflow sends to itself ends after ten turns', async () => {
    const id = await workflow(ann, 'Echo', { type: 'signal', config: { signal: 'echo' } }, [
      { id: 'again', type: 'emit_signal', config: { signal: 'echo' } },
    ]);
    await ann.request('POST', '/api/v1/signals', { signal: 'echo' });
    const runs = await until('the echo ends', async () => {
      const all = await runsOf(ann, id, 11);
      return all.some(({ status }) => status === 'failed') ? all : null;
    });
    expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(10);
    expect(runs.filter(({ status }) => status === 'failed')).toMatchObject([{ error: { code: 'too_deep' } }]);
  });
});

describe('the end of a run', () => {
  const fields = {
    id: '{{ trigger.execution_id }}',
    who: '{{ trigger.workflow_name }}',
    output: '{{ trigger.output }}',
  };

  it('starts who waits for it, by name or id, once', async () => {
    const source = await workflow(ann, 'Source', manual, [set({ v: 1 })]);
    const byName = await workflow(ann, 'By name', { type: 'workflow_completed', config: { workflow: 'Source' } }, [
      set(fields),
    ]);
    const byId = await workflow(ann, 'By id', { type: 'workflow_completed', config: { workflow: source } }, [
      set(fields),
    ]);
    const run = await ann.run(source);
    for (const id of [byName, byId]) {
      const [started, ...others] = await runsOf(ann, id, 1);
      expect(others).toEqual([]);
      expect(started).toMatchObject({
        status: 'completed',
        trigger_type: 'workflow_completed',
        output: { id: run.id, who: 'Source', output: { v: 1 } },
      });
    }
  });

  it('starts those who wait for a failure, and only then', async () => {
    const source = await workflow(ann, 'Source', manual, [
      { ...(failing as JsonObject), if: '{{ trigger.fail == true }}' },
      set({}),
    ]);
    const config = { workflow: 'Source', status: 'failed' };
    const onFailure = await workflow(ann, 'On failure', { type: 'workflow_completed', config }, [
      set({ code: '{{ trigger.error.code }}', step: '{{ trigger.error.step_id }}', status: '{{ trigger.status }}' }),
    ]);
    await ann.run(source);
    await ann.run(source, { fail: true });
    const runs = await runsOf(ann, onFailure, 1);
    expect(runs.map(({ output }) => output)).toEqual([{ code: 'broken', step: 'f', status: 'failed' }]);
  });

  it('as failed starts the error workflow of the tenant, but not for its own failures', async () => {
    const source = await workflow(ann, 'Source', manual, [failing]);
    const handler = await workflow(ann, 'Handler', { type: 'error', config: {} }, [failing]);
    await ann.run(source);
    const [handled] = await runsOf(ann, handler, 1);
    expect(handled).toMatchObject({ status: 'failed', trigger_type: 'error', error: { code: 'broken' } });
    expect(await allRunsOf(ann, handler, 1)).toHaveLength(1);
    // Started by hand it is a run as any, and its failure one too.
    await ann.run(handler);
    expect(await runsOf(ann, handler, 3)).toHaveLength(3);
  });

  it('as failed starts the error workflow of that workflow alone', async () => {
    const [one, other] = [
      await workflow(ann, 'One', manual, [failing]),
      await workflow(ann, 'Other', manual, [failing]),
    ];
    const handler = await workflow(ann, 'Handler', { type: 'error', config: { workflow: 'One' } }, [set(fields)]);
    await ann.run(other);
    const { id } = await ann.run(one);
    expect((await runsOf(ann, handler, 1)).map(({ output }) => (output as JsonObject).id)).toEqual([id]);
  });

  it('starts a workflow that was made, changed or enabled a moment ago', async () => {
    const source = await workflow(ann, 'Source', manual, [set({})]);
    await ann.run(source);
    const late = await workflow(ann, 'Late', { type: 'workflow_completed', config: { workflow: 'Source' } }, [set({})]);
    await ann.run(source);
    await runsOf(ann, late, 1);
    await ann.request('PUT', `/api/v1/workflows/${late}/disable`);
    await ann.run(source);
    await ann.request('PUT', `/api/v1/workflows/${late}/enable`);
    await ann.run(source);
    await runsOf(ann, late, 2);
    expect(await allRunsOf(ann, late, 2)).toHaveLength(2);
  });

  it('of a chain of workflows that start each other comes to a halt', async () => {
    const config = { workflow: 'Loop', status: 'any' };
    const id = await workflow(ann, 'Loop', { type: 'workflow_completed', config }, [set({})]);
    await ann.run(id);
    await runsOf(ann, id, 11);
    expect(await allRunsOf(ann, id, 11)).toHaveLength(11);
  });
});

describe('several triggers', () => {
  it('start a workflow each in its own way; without one of type http there is no webhook', async () => {
    const triggers: Json[] = [{ type: 'signal', config: { signal: 'go' } }, { type: 'http' }];
    const { body } = await ann.request('POST', '/api/v1/workflows', {
      name: 'Many',
      dsl: { id: 'flow', triggers, steps: [set({ v: '{{ trigger.body.v ?? trigger.data.v ?? trigger.v }}' })] },
    });
    const id = String(body.id);
    expect((await send(site.t, 'POST', `/webhooks/${id}`, { v: 1 })).status).toBe(202);
    expect((await ann.request('POST', '/api/v1/signals', { signal: 'go', data: { v: 2 } })).status).toBe(202);
    await ann.run(id, { v: 3 });
    const runs = await runsOf(ann, id, 3);
    expect(Object.fromEntries(runs.map((run) => [run.trigger_type, (run.output as JsonObject).v]))).toEqual({
      http: 1,
      signal: 2,
      manual: 3,
    });
    const without = await workflow(ann, 'Signal only', { type: 'signal', config: { signal: 'x' } }, [set({})]);
    expect((await send(site.t, 'POST', `/webhooks/${without}`, {})).status).toBe(404);
  });
});

describe('the inputs of a workflow', () => {
  const inputs = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
  const refusal = { code: 'invalid_input' };

  it('are asked of the body of a webhook, and of all that a start by hand brings', async () => {
    const id = await workflow(ann, 'Checked', { type: 'http' }, [set({ v: '{{ trigger.body.n ?? trigger.n }}' })], {
      inputs,
    });
    const hook = await send(site.t, 'POST', `/webhooks/${id}/sync`, { n: 'seven' });
    expect([hook.status, hook.body.code]).toEqual([400, 'invalid_input']);
    expect(hook.body.details).toMatchObject([{ path: 'n' }]);
    expect((await send(site.t, 'POST', `/webhooks/${id}/sync`, { n: 7 })).body).toEqual({ v: 7 });
    const byHand = (trigger: JsonObject) => ann.request('POST', `/api/v1/workflows/${id}/trigger`, trigger);
    expect(await byHand({})).toMatchObject({ status: 400, body: refusal });
    expect(await byHand({ n: 0 })).toMatchObject({ status: 400, body: refusal });
    expect((await byHand({ n: 1 })).status).toBe(202);
  });

  it('fail the step that starts the workflow with something else, without another try', async () => {
    await workflow(ann, 'Checked', manual, [set({})], { inputs });
    const call = { id: 'call', type: 'sub_workflow', config: { workflow: 'Checked', input: { n: '7' } } };
    const run = await ann.run(await workflow(ann, 'Caller', manual, [{ ...call, retry: { max_attempts: 5 } }]));
    expect(run.error).toMatchObject({ code: 'invalid_input', step_id: 'call' });
    expect((await ann.steps(run.id))[0]?.attempt).toBe(1);
  });

  it('are asked of the new input of a retry', async () => {
    const id = await workflow(ann, 'Checked', manual, [failing], { inputs });
    const { id: run } = await ann.run(id, { n: 1 });
    const retry = (input: JsonObject) => ann.request('POST', `/api/v1/executions/${run}/retry`, { input });
    expect(await retry({ n: 'x' })).toMatchObject({ status: 400, body: refusal });
    expect((await retry({ n: 2 })).status).toBe(202);
  });

  it('that a signal does not bring are recorded as a refusal', async () => {
    const id = await workflow(ann, 'Checked', { type: 'signal', config: { signal: 'go' } }, [set({})], {
      inputs: { type: 'object', properties: { data: inputs }, required: ['data'] },
    });
    const { body } = await ann.request('POST', '/api/v1/signals', { signal: 'go', data: {} });
    expect(body).toMatchObject({ started: [], refused: [{ workflow_id: id, code: 'invalid_input' }] });
  });
});
