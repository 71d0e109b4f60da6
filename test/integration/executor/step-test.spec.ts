import type { Json, JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  // Short, so that a step that takes longer than a request may is soon over for the caller.
  site = await openSite({ env: { REQUEST_TIMEOUT: '5' } });
  ann = await site.user();
});
afterAll(() => site?.close());

const set = (id: string, config: JsonObject, more: JsonObject = {}): Json => ({ id, type: 'set', config, ...more });
const test = (id: string, step: string, body: JsonObject = {}) =>
  ann.request('POST', `/api/v1/workflows/${id}/steps/${step}/test`, body);

describe('the test of a step', () => {
  it('runs that step alone, with what is given for the rest', async () => {
    const id = await ann.workflow([
      { id: 'nap', type: 'wait', config: { for: '1h' } },
      set('s', { n: '{{ trigger.n }}', v: '{{ steps.nap.v }}' }, { if: '{{ false }}' }),
    ]);
    const { status, body } = await test(id, 's', { trigger: { n: 1 }, steps: { nap: { v: 2 } } });
    expect(status).toBe(200);
    const output = { n: 1, v: 2 };
    expect(body).toMatchObject({ status: 'completed', output, input: output, error: null, logs: [], waiting: [] });
    expect(body.duration_ms).toEqual(expect.any(Number));
    expect(await ann.get(String(body.execution_id))).toMatchObject({
      status: 'completed',
      trigger_type: 'test',
      input: { n: 1 },
      workflow_def_id: id,
    });
  });

  it('shows what the step wrote into the log', async () => {
    const id = await ann.workflow([
      { id: 'l', type: 'log', config: { message: 'Order {{ trigger.n }}', level: 'warn' } },
    ]);
    const { body } = await test(id, 'l', { trigger: { n: 7 } });
    expect(body.logs).toMatchObject([{ path: 'l', level: 'warn', message: 'Order 7' }]);
  });

  it('tells how it failed, at the first attempt', async () => {
    const id = await ann.workflow([
      set('other', {}),
      set('s', { v: '{{ steps.other.v }}' }, { on_error: 'continue' }),
      { id: 'call', type: 'http_request', config: { url: 'http://127.0.0.1:9/' }, retry: { max_attempts: 5 } },
    ]);
    const missing = await test(id, 's');
    expect(missing.body).toMatchObject({ status: 'failed', output: null, error: { code: 'expression', step_id: 's' } });
    expect((await test(id, 'call')).body).toMatchObject({ status: 'failed', error: { step_id: 'call' } });
  });

  it('of a step in a loop, or in a handler, is given what it would see there', async () => {
    const id = await ann.workflow([
      {
        id: 'each',
        type: 'foreach',
        config: { items: [1, 2] },
        steps: [set('inner', { v: '{{ loop.item * 10 }}', i: '{{ loop.index }}' })],
      },
      { id: 'guard', type: 'try', steps: [set('risky', {})], catch: [set('note', { code: '{{ error.code }}' })] },
    ]);
    const inner = await test(id, 'inner', { loop: { item: 7, index: 3 } });
    expect(inner.body).toMatchObject({ status: 'completed', output: { v: 70, i: 3 } });
    expect((await test(id, 'note', { error: { code: 'x' } })).body.output).toEqual({ code: 'x' });
    expect((await test(id, 'each')).body.output).toEqual({
      results: [
        { v: 10, i: 0 },
        { v: 20, i: 1 },
      ],
      count: 2,
    });
  });

  it('is answered at once when the step waits for a person, and waits no longer itself', async () => {
    const id = await ann.workflow([{ id: 'ask', type: 'approval', config: { message: 'Ship it?' } }]);
    const { body } = await test(id, 'ask');
    expect(body).toMatchObject({ status: 'waiting', waiting: [{ step_id: 'ask', kind: 'approval' }] });
    expect((await ann.ended(String(body.execution_id))).status).toBe('cancelled');
  });

  it('is answered when the time of the request is up, and goes on', async () => {
    const id = await ann.workflow([{ id: 'nap', type: 'wait', config: { for: '30s' } }]);
    const began = performance.now();
    const { status, body } = await test(id, 'nap');
    expect([status, body.status]).toEqual([200, 'waiting']);
    expect(performance.now() - began).toBeGreaterThan(3_500);
    expect((await ann.get(String(body.execution_id))).status).toBe('running');
    await ann.request('POST', `/api/v1/executions/${String(body.execution_id)}/cancel`);
  });

  it('needs a workflow and a step that are there, secrets that are there, and shapes that fit', async () => {
    const id = await ann.workflow([set('s', { k: '{{ secret.NOT_THERE }}' })]);
    expect((await test(id, 'no-such-step')).status).toBe(404);
    expect((await test('00000000-0000-4000-8000-000000000000', 's')).status).toBe(404);
    expect((await test(id, 's')).body.code).toBe('unknown_secret');
    expect((await test(id, 's', { trigger: 'text' })).status).toBe(400);
    const bob = await site.user();
    expect((await bob.request('POST', `/api/v1/workflows/${id}/steps/s/test`, {})).status).toBe(404);
  });

  it('shows no secret', async () => {
    await ann.request('POST', '/api/v1/secrets', { name: 'KEY', value: 'a-very-secret-value' });
    const id = await ann.workflow([
      { id: 'l', type: 'log', config: { message: 'The key is {{ secret.KEY }}' } },
      set('s', { k: '{{ secret.KEY }}' }),
    ]);
    for (const step of ['l', 's']) {
      const { body } = await test(id, step);
      expect(body.status).toBe('completed');
      expect(JSON.stringify(body)).not.toContain('a-very-secret-value');
    }
  });

  it('starts no error workflow, and is not run again', async () => {
    const handler = { id: 'flow', trigger: { type: 'error', config: {} }, steps: [set('s', {})] };
    const { body: made } = await ann.request('POST', '/api/v1/workflows', { name: 'Handler', dsl: handler });
    const id = await ann.workflow([{ id: 'f', type: 'fail', config: { message: 'no' } }]);
    const { body } = await test(id, 'f');
    expect(body.status).toBe('failed');
    const retry = await ann.request('POST', `/api/v1/executions/${String(body.execution_id)}/retry`, {});
    expect(retry.status).toBe(409);
    const { body: list } = await ann.request('GET', `/api/v1/executions?workflow_id=${String(made.id)}`);
    expect(list.data).toEqual([]);
  });
});

describe('a pinned output', () => {
  const pin = (id: string, step: string, body: JsonObject) =>
    ann.request('PUT', `/api/v1/workflows/${id}/steps/${step}/pin`, body);
  const steps = [
    { id: 'call', type: 'http_request', config: { url: 'http://127.0.0.1:9/' } },
    set('after', { v: '{{ steps.call.body.v }}' }),
  ];

  it('counts in runs that a user starts by hand, and in no other', async () => {
    const id = await ann.workflow(steps);
    expect((await pin(id, 'call', { output: { body: { v: 1 } } })).body).toMatchObject({ id, version: 2 });
    expect((await ann.run(id)).output).toEqual({ v: 1 });
    const hook = await fetch(`${site.url}/webhooks/${id}/sync`, { method: 'POST' });
    expect(hook.status).toBe(500);
    await hook.text();
    expect((await ann.request('DELETE', `/api/v1/workflows/${id}/steps/call/pin`)).status).toBe(204);
    expect((await ann.run(id)).status).toBe('failed');
  });

  it('replaces the step in tests of other steps, unless the request disables that', async () => {
    const id = await ann.workflow(steps);
    await pin(id, 'call', { output: { body: { v: 1 } } });
    expect((await test(id, 'after')).body.output).toEqual({ v: 1 });
    expect((await test(id, 'after', { steps: { call: { body: { v: 2 } } } })).body.output).toEqual({ v: 2 });
    expect((await test(id, 'after', { pin: false })).body.status).toBe('failed');
    // A test of the pinned step itself executes the step.
    expect((await test(id, 'call')).body.status).toBe('failed');
  });

  it('is taken from a run, of a step in a loop from the item that is named', async () => {
    const id = await ann.workflow([
      {
        id: 'each',
        type: 'foreach',
        config: { items: [1, 2, 3] },
        steps: [set('inner', { v: '{{ loop.item }}' })],
      },
    ]);
    const { id: run } = await ann.run(id);
    const pinned = async () => {
      const { body } = await ann.request('GET', `/api/v1/workflows/${id}`);
      return ((body.dsl as JsonObject).steps as { steps: JsonObject[] }[])[0]?.steps[0]?.pin;
    };
    expect((await pin(id, 'inner', { execution_id: run })).status).toBe(200);
    expect(await pinned()).toEqual({ v: 3 });
    await pin(id, 'inner', { execution_id: run, path: 'each/steps[1]/inner' });
    expect(await pinned()).toEqual({ v: 2 });
    expect((await pin(id, 'inner', { execution_id: run, path: 'each/steps[9]/inner' })).status).toBe(409);
    const other = await ann.workflow([set('inner', {})]);
    expect((await pin(other, 'inner', { execution_id: run })).status).toBe(404);
  });
});
