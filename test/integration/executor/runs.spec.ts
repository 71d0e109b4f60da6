import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../../lib/json';
import { sendWebhook } from '../../support/webhooks';
import { startServer, type TestServer } from '../nodes/server';
import { codeOf, type House, openHouse } from './house';

let house: House;
let server: TestServer;
/** The response to the nth request of a path, from 1; else 200 with an echo of its headers and body. */
const script = new Map<string, (n: number) => number>();

beforeAll(async () => {
  server = await startServer((request, response) => {
    const n = server.seen.filter(({ url }) => url === request.url).length;
    response.writeHead(script.get(request.url)?.(n) ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ n, auth: request.headers.authorization ?? null, body: request.body }));
  });
  house = await openHouse({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await house?.close();
  await server?.close();
});

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const request = (id: string, path: string, more: JsonObject = {}, rest: JsonObject = {}): Json => ({
  id,
  type: 'http_request',
  config: { url: `${server.url}${path}`, method: 'POST', ...more },
  ...rest,
});
const fail = (id: string): Json => ({ id, type: 'fail', config: { message: 'no luck', code: 'luck' } });
const hits = (path: string): number => server.seen.filter(({ url }) => url === path).length;

describe('a run', () => {
  it('is answered when stored, and shows what came of it', async () => {
    const id = await house.start(await house.workflow([set('a', { v: '{{ trigger.n + 1 }}' })]), { n: 1 });
    const view = await house.ended(id);
    expect(view).toMatchObject({
      id,
      tenant_id: house.ann.tenant_id,
      status: 'completed',
      trigger_type: 'manual',
      trigger: { n: 1 },
      input: { n: 1 },
      output: { v: 2 },
      error: null,
      waiting: [],
      retry_of: null,
    });
    expect(Date.parse(view.ended_at as string) - Date.parse(view.started_at)).toBe(view.duration_ms);
  });

  it('shows every step, those that never began too', async () => {
    const workflow = await house.workflow([
      set('a', { v: 1 }),
      { ...(set('b', {}) as JsonObject), if: '{{ steps.a.v > 1 }}' },
      fail('c'),
      set('d', {}),
    ]);
    const id = await house.start(workflow);
    expect(await house.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'luck', message: 'no luck', step_id: 'c' },
    });
    const { steps } = await house.t.call('executions.detail', { id }, house.ann);
    expect(steps.map(({ step_id, status }) => [step_id, status])).toEqual([
      ['a', 'completed'],
      ['b', 'skipped'],
      ['c', 'failed'],
      ['d', 'pending'],
    ]);
    expect(steps[0]).toMatchObject({ type: 'set', attempt: 1, input: { v: 1 }, output: { v: 1 }, error: null });
    expect(steps[2]).toMatchObject({ error: { code: 'luck', message: 'no luck', step_id: 'c' }, output: null });
  });

  it('calls out with one idempotency key in all attempts, and shows them when asked', async () => {
    script.set('/flaky', (n) => (n < 3 ? 503 : 200));
    const retry = { max_attempts: 4, initial_interval: '20ms', jitter: 0 };
    const id = await house.start(await house.workflow([request('call', '/flaky', {}, { retry })]));
    expect((await house.ended(id)).status).toBe('completed');
    const keys = server.seen.filter(({ url }) => url === '/flaky').map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    const plain = await house.t.call('executions.detail', { id }, house.ann);
    expect(plain.steps[0]).toMatchObject({ status: 'completed', attempt: 3 });
    expect(plain.steps[0]).not.toHaveProperty('attempts');
    const whole = await house.t.call('executions.detail', { id, include: 'attempts' }, house.ann);
    expect(whole.steps[0]?.attempts?.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('gives a caller who waits its output, or the response that a step made', async () => {
    const plain = await house.sync(await house.workflow([set('a', { v: '{{ trigger.body.n }}' })]), { n: 7 });
    expect(plain).toMatchObject({
      replayed: false,
      response: null,
      status: 'completed',
      output: { v: 7 },
    });
    const response = {
      id: 'r',
      type: 'webhook_response',
      config: { status: 201, headers: { 'X-A': 'b' }, body: { ok: true } },
    };
    const made = await house.sync(await house.workflow([response as Json, set('after', { v: 1 })]));
    expect(made.response).toEqual({ status: 201, headers: { 'x-a': 'b' }, body: { ok: true } });
    expect(await house.get(made.id)).toMatchObject({ status: 'completed', output: { v: 1 } });
  });

  it('that a stop with an error ends has failed, though the step may fail', async () => {
    const workflow = await house.workflow([
      { id: 's', type: 'stop', config: { error: { message: 'enough', code: 'closed' } }, on_error: 'continue' },
      set('after', { v: 1 }),
    ]);
    expect(await house.sync(workflow)).toMatchObject({ status: 'failed', error: { code: 'closed', step_id: 's' } });
  });

  it('is cancelled in the middle of a request, once', async () => {
    const slow = await startServer(() => {});
    try {
      const workflow = await house.workflow([{ id: 'call', type: 'http_request', config: { url: slow.url } }]);
      const id = await house.start(workflow);
      while (slow.seen.length === 0) await new Promise(setImmediate);
      expect(await house.t.call('executions.cancel', { id }, house.ann)).toMatchObject({
        status: 'cancelled',
        error: null,
      });
      expect(await codeOf(house.t.call('executions.cancel', { id }, house.ann))).toBe('execution_ended');
      const { steps } = await house.t.call('executions.detail', { id }, house.ann);
      expect(steps[0]?.status).toBe('cancelled');
    } finally {
      await slow.close();
    }
  });
});

describe('secrets', () => {
  const SECRET = 'top-secret-4711';

  it('reach the other side, and appear nowhere else', async () => {
    await house.t.call('secrets.put', { name: 'TOKEN', value: SECRET }, house.ann);
    const workflow = await house.workflow([
      request('call', '/echo', {
        headers: { authorization: 'Bearer {{ secret.TOKEN }}' },
        body: { basic: '{{ base64("u:" + secret.TOKEN) }}' },
      }),
      set('copy', { auth: '{{ steps.call.body.auth }}' }),
      request('again', '/again', { headers: { authorization: '{{ steps.copy.auth }}' } }),
      { id: 'boom', type: 'fail', config: { message: 'with {{ secret.TOKEN }}' } },
    ]);
    const id = await house.start(workflow);
    const view = await house.ended(id);
    expect(server.seen.find(({ url }) => url === '/again')?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const shown = JSON.stringify([
      view,
      await house.t.call('executions.detail', { id, include: 'attempts' }, house.ann),
      await house.t.call('executions.events', { id, audience: 'tenant' }, house.ann),
      await house.t.call('executions.public', { id }),
    ]);
    const stored = JSON.stringify(
      await Promise.all(
        ['executions', 'journal', 'signals', 'payloads'].map((name) =>
          house.t.app.db.collection(name).find({}).toArray(),
        ),
      ),
    );
    for (const text of [shown, stored]) {
      for (const form of [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64').slice(0, 16)])
        expect(text).not.toContain(form);
      expect(text).not.toContain(Buffer.from(`u:${SECRET}`).toString('base64').slice(4, -4));
    }
    expect(shown).not.toContain('⟦');
    expect(shown).toContain('Bearer ***');
  });

  it('that are short never change the data that callers and other workflows receive', async () => {
    await house.t.call('secrets.put', { name: 'YEAR', value: '2026' }, house.ann);
    const inner = await house.workflow([set('copy', { date: '{{ trigger.date }}' })]);
    const workflow = await house.workflow([
      request('call', '/year', { headers: { authorization: 'Bearer {{ secret.YEAR }}' } }),
      { id: 'inner', type: 'sub_workflow', config: { workflow: inner, input: { date: '{{ trigger.body.date }}' } } },
      { id: 'answer', type: 'webhook_response', config: { body: '{{ steps.inner.output }}' } },
      set('out', { date: '{{ steps.inner.output.date }}', auth: '{{ steps.call.body.auth }}' }),
    ]);
    const { id, response, ...end } = await house.sync(workflow, { date: '2026-11-23' });
    expect(end).toMatchObject({ status: 'completed', output: { date: '2026-11-23' } });
    expect(response?.body).toEqual({ date: '2026-11-23' });
    const { steps } = await house.t.call('executions.detail', { id }, house.ann);
    expect(JSON.stringify(steps)).toContain('Bearer ***');
    expect(JSON.stringify(steps)).not.toContain('Bearer 2026');
  });
});

describe('a run that a workflow key starts', () => {
  let workflow: string;
  let key: string;
  beforeAll(async () => {
    workflow = await house.workflow([set('copy', { order: "{{ trigger.order ?? 'none' }}" })], {}, 'manual');
    ({ key } = await house.t.call('workflows.create_key', { id: workflow, name: 'k' }, house.ann));
  });
  afterAll(() => house.t.call('workflows.remove', { id: workflow, force: true }, house.ann));

  it('has the own keys of the body as members of its trigger, except where the trigger has one of that name', async () => {
    const body = JSON.parse('{"order":7,"body":"inner","__proto__":{"admin":true}}') as Json;
    const { id } = await sendWebhook(house.t, { workflow_id: workflow, key, body, wait: true });
    const { trigger, input, output } = await house.get(id);
    expect([input, output]).toEqual([body, { order: 7 }]);
    expect(trigger).toMatchObject({ order: 7, body });
    expect((trigger as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each<[Json]>([[null], ['text'], [[1]]])(
    'with a body %j that is no object has it as trigger.body',
    async (body) => {
      const { id } = await sendWebhook(house.t, { workflow_id: workflow, key, body });
      expect((await house.get(id)).trigger).toEqual({ body });
    },
  );

  it('is refused for another body or file under the same key, and not for the same ones', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (body: Json) => sendWebhook(house.t, { workflow_id: workflow, key, headers, body });
    const first = await send({ files: [1], a: 1 });
    expect(await send({ a: 1, files: [1] })).toMatchObject({ id: first.id, replayed: true });
    expect(await codeOf(send({ a: 2, files: [1] }))).toBe('idempotency_mismatch');
  });
});

describe('starting once', () => {
  it('answers a repeat with the first run, also while it goes on and when many come at once', async () => {
    const workflow = await house.workflow([request('call', '/once')]);
    const headers = { 'idempotency-key': randomUUID() };
    const start = (wait: boolean) => sendWebhook(house.t, { workflow_id: workflow, headers, body: { a: 1 }, wait });
    const results = await Promise.all([...Array.from({ length: 10 }, () => start(false)), start(true), start(true)]);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(results.at(-1)?.status).toBe('completed');
    expect(await start(false)).toMatchObject({ status: 'completed', id: results[0]?.id });
    expect(hits('/once')).toBe(1);
  });
});

describe('the list', () => {
  it('is newest first, page by page without gaps, whatever made the ids', async () => {
    const workflow = await house.workflow([set('a', {})]);
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) {
      const { id } = await sendWebhook(house.t, {
        workflow_id: workflow,
        // Every other id is derived from a key, and says nothing of its time.
        headers: n % 2 === 0 ? {} : { 'idempotency-key': randomUUID() },
        wait: true,
      });
      ids.unshift(id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; page < 10 && cursor !== null; page++) {
      const found = await house.t.call(
        'executions.list',
        { workflow_id: workflow, limit: 5, ...(cursor ? { cursor } : {}) },
        house.ann,
      );
      seen.push(...found.data.map(({ id }) => id));
      cursor = found.next_cursor;
    }
    expect(seen).toEqual(ids);
    const byOffset = await house.t.call('executions.list', { workflow_id: workflow, limit: 5, offset: 10 }, house.ann);
    expect(byOffset.data.map(({ id }) => id)).toEqual(ids.slice(10));
    expect(byOffset).toMatchObject({ limit: 5, offset: 10, next_cursor: null });
  });

  it('takes a status, and refuses a cursor that it did not give', async () => {
    const workflow = await house.workflow([fail('f')]);
    const id = await house.start(workflow);
    await house.ended(id);
    const of = (status: 'failed' | 'completed') =>
      house.t
        .call('executions.list', { workflow_id: workflow, status }, house.ann)
        .then(({ data }) => data.map((row) => row.id));
    expect([await of('failed'), await of('completed')]).toEqual([[id], []]);
    expect(await codeOf(house.t.call('executions.list', { cursor: 'x' }, house.ann))).toBe('invalid_request');
  });
});

describe('a retry', () => {
  it('takes over what was completed, and runs the rest', async () => {
    script.set('/pay', () => 200);
    let broken = true;
    script.set('/ship', () => (broken ? 500 : 200));
    const workflow = await house.workflow([request('pay', '/pay'), request('ship', '/ship')]);
    const first = await house.start(workflow, { order: 7 });
    expect((await house.ended(first)).status).toBe('failed');
    broken = false;
    const again = await house.t.call('executions.retry', { id: first }, house.ann);
    expect(again).toMatchObject({ retry_of: first, trigger_type: 'retry', trigger: { order: 7 } });
    expect((await house.ended(again.id)).status).toBe('completed');
    expect([hits('/pay'), hits('/ship')]).toEqual([1, 2]);
    expect(await codeOf(house.t.call('executions.retry', { id: again.id }, house.ann))).toBe('conflict');
    const from = await house.t.call('executions.retry', { id: again.id, from_step: 'ship' }, house.ann);
    await house.ended(from.id);
    expect([hits('/pay'), hits('/ship')]).toEqual([1, 3]);
    expect(await codeOf(house.t.call('executions.retry', { id: again.id, from_step: 'nope' }, house.ann))).toBe(
      'invalid_request',
    );
  });

  it('runs the plan that the first run had, or the latest when asked', async () => {
    const workflow = await house.workflow([set('a', { v: 1 }), fail('f')]);
    const first = await house.start(workflow);
    await house.ended(first);
    const dsl = {
      id: 'flow',
      trigger: { type: 'http' },
      steps: [set('a', { v: 2 }), set('f', { v: '{{ steps.a.v }}' })],
    };
    await house.t.call('workflows.update', { id: workflow, dsl }, house.ann);
    const same = await house.t.call('executions.retry', { id: first }, house.ann);
    expect((await house.ended(same.id)).error?.code).toBe('luck');
    const latest = await house.t.call('executions.retry', { id: first, use_latest: true }, house.ann);
    // Step `a` was completed in the first run and keeps its type, so its output is taken over.
    expect(await house.ended(latest.id)).toMatchObject({ status: 'completed', output: { v: 1 } });
  });

  it('of a run that goes on, or of a disabled workflow, is refused; with one key it is one run', async () => {
    const workflow = await house.workflow([{ id: 'w', type: 'approval', config: { message: '?' } }, fail('f')]);
    const id = await house.start(workflow);
    await house.waiting(id);
    expect(await codeOf(house.t.call('executions.retry', { id }, house.ann))).toBe('execution_running');
    await house.t.call('executions.signal', { id, signal: 'approve-w', data: { approved: true } }, house.ann);
    await house.ended(id);
    const key = randomUUID();
    const runs = await Promise.all(
      [1, 2].map(() => house.t.call('executions.retry', { id, idempotency_key: key }, house.ann)),
    );
    expect(new Set(runs.map((run) => run.id)).size).toBe(1);
    await house.t.call('workflows.disable', { id: workflow }, house.ann);
    expect(await codeOf(house.t.call('executions.retry', { id }, house.ann))).toBe('workflow_disabled');
  });
});

describe('events', () => {
  it('are the records in order, from any position, and end with the end', async () => {
    const { id } = await house.sync(await house.workflow([set('a', { v: 1 }), set('b', { v: 2 })]), {
      hush: 'hush-hush',
    });
    const all = await house.t.call('executions.events', { id, audience: 'tenant' }, house.ann);
    expect(all.ended).toBe(true);
    expect(all.events.map(({ position, event }) => [position, event])).toEqual([
      [1, 'step'],
      [2, 'step'],
      [3, 'end'],
    ]);
    const rest = await house.t.call('executions.events', { id, after: 2, audience: 'tenant' }, house.ann);
    expect(rest.events).toEqual(all.events.slice(2));
    const open = await house.t.call('executions.events', { id, audience: 'public' });
    expect(open.events[0]?.data).not.toHaveProperty('output');
    expect(JSON.stringify(open)).not.toContain('hush-hush');
  });

  it('says of many at once which have moved', async () => {
    const id = await house.start(await house.workflow([{ id: 'w', type: 'approval', config: { message: '?' } }]));
    await house.waiting(id);
    const { next = 0 } = await house.t.call('executions.events', { id, audience: 'public' });
    const moved = async (from: number) =>
      (await house.t.call('executions.moved', { runs: [{ id, next: from }] }, { tenant_id: '', role: 'service' })).ids;
    expect(next).toBeGreaterThan(0);
    expect(await moved(next)).toEqual([]);
    expect(await moved(next - 1)).toEqual([id]);
    await house.t.call('executions.signal', { id, signal: 'approve-w', data: { approved: true } }, house.ann);
    await house.ended(id);
    expect(await moved(next)).toEqual([id]);
  });
});

describe('another tenant', () => {
  it('finds nothing, whatever it requests', async () => {
    const id = await house.start(await house.workflow([set('a', {})]));
    await house.ended(id);
    const { t, bob } = house;
    const refusals = await Promise.all(
      [
        t.call('executions.get', { id }, bob),
        t.call('executions.detail', { id }, bob),
        t.call('executions.cancel', { id }, bob),
        t.call('executions.retry', { id, from_step: 'a' }, bob),
        t.call('executions.signal', { id, signal: 'go' }, bob),
        t.call('executions.feedback', { id, step_id: 'a', rating: 'up' }, bob),
        t.call('executions.events', { id, audience: 'tenant' }, bob),
      ].map(codeOf),
    );
    expect(new Set(refusals)).toEqual(new Set(['not_found']));
    expect((await t.call('executions.list', {}, bob)).data).toEqual([]);
    expect(await codeOf(t.call('executions.get', { id: 'no-uuid' }, house.ann))).toBe('not_found');
    expect(await codeOf(t.call('executor.start', {} as never, bob))).toBe('forbidden');
  });
});

describe('feedback', () => {
  it('is kept per step, the last word counting', async () => {
    const id = await house.start(await house.workflow([set('a', {}), set('b', {})]));
    await house.ended(id);
    await house.t.call('executions.feedback', { id, step_id: 'a', rating: 'down' }, house.ann);
    await house.t.call('executions.feedback', { id, step_id: 'a', rating: 'up', comment: 'better' }, house.ann);
    const { steps } = await house.t.call('executions.detail', { id }, house.ann);
    expect(steps.map(({ feedback }) => feedback)).toEqual([{ rating: 'up', comment: 'better' }, null]);
    expect(await codeOf(house.t.call('executions.feedback', { id, step_id: 'z', rating: 'up' }, house.ann))).toBe(
      'not_found',
    );
  });
});

describe('a purge', () => {
  it('cancels what runs, removes all that belonged to the workflow, and nothing else', async () => {
    const workflow = await house.workflow([{ id: 'w', type: 'approval', config: { message: '?' } }, set('big', {})]);
    const kept = await house.start(await house.workflow([set('a', {})]));
    const ids = await Promise.all(Array.from({ length: 5 }, () => house.start(workflow)));
    await Promise.all(ids.map((id) => house.waiting(id)));
    await house.t.call('executions.feedback', { id: ids[0] as string, step_id: 'w', rating: 'up' }, house.ann);
    const service = { tenant_id: house.ann.tenant_id, role: 'service' } as const;
    expect(await house.t.call('executions.purge', { workflow_id: workflow }, service)).toEqual({ removed: 5 });
    expect(await house.t.call('executions.purge', { workflow_id: workflow }, service)).toEqual({ removed: 0 });
    for (const name of ['executions', 'journal', 'signals', 'payloads', 'step_feedback']) {
      const left = await house.t.app.db
        .collection<{ _id: string }>(name)
        .find({})
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      expect(left.filter(({ _id }) => ids.some((id) => _id.startsWith(id)))).toEqual([]);
    }
    expect((await house.ended(kept)).status).toBe('completed');
  });
});

describe('figures', () => {
  it('count the runs of a workflow', async () => {
    const workflow = await house.workflow([{ ...(fail('f') as JsonObject), if: '{{ trigger.bad }}' }]);
    for (const bad of [true, false, false]) await house.ended(await house.start(workflow, { bad }));
    const service = { tenant_id: house.ann.tenant_id, role: 'service' } as const;
    const { data } = await house.t.call('executions.health', { workflow_ids: [workflow], window_hours: 1 }, service);
    expect(data[0]).toMatchObject({ total: 3, completed: 2, failed: 1, running: 0, waiting: 0, last_error: 'no luck' });
  });
});
