import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
let peer: Peer;

beforeAll(async () => {
  peer = await startPeer();
  site = await openSite({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  ann = await site.user();
});
afterAll(async () => {
  await site?.close();
  await peer?.close();
});
beforeEach(() => peer.forget());

const set = (id: string, config: JsonObject, more: JsonObject = {}): Json => ({ id, type: 'set', config, ...more });
const dslOf = (steps: Json[], more: JsonObject = {}): JsonObject => ({
  id: 'tried',
  trigger: { type: 'manual' },
  steps,
  ...more,
});
/** Counts its calls at the peer. */
const call = (id: string, method = 'GET', more: JsonObject = {}): Json => ({
  id,
  type: 'http_request',
  config: { method, url: `${peer.url}/${id}` },
  ...more,
});
const tried = (body: JsonObject, query = '?wait=1') => ann.request('POST', `/api/v1/workflows/try${query}`, body);
const statuses = async (id: unknown): Promise<JsonObject> =>
  Object.fromEntries((await ann.steps(String(id))).map(({ path, status }) => [path, status]));

describe('a trial', () => {
  it('is left out of lists on request', async () => {
    const { body } = await tried({ dsl: dslOf([set('a', {})]) });
    for (const path of ['/api/v1/executions', '/api/v1/executions/visibility']) {
      const idsOf = async (query: string): Promise<unknown[]> => {
        const list = (await ann.request('GET', `${path}?limit=200${query}`)).body as { data: { id: string }[] };
        return list.data.map(({ id }) => id);
      };
      expect(await idsOf('')).toContain(body.id);
      expect(await idsOf('&trials=true')).toContain(body.id);
      expect(await idsOf('&trials=false')).not.toContain(body.id);
    }
  });

  it('runs a document that is not saved, and is marked', async () => {
    const dsl = dslOf([set('a', { n: '{{ trigger.n + 1 }}' })]);
    const { status, body } = await tried({ dsl, trigger: { n: 1 } });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'completed',
      output: { n: 2 },
      trial: true,
      trigger_type: 'trial',
      workflow_name: 'tried',
      pinned: [],
      suppressed: [],
    });
    const { body: row } = await ann.request('GET', `/api/v1/executions/${String(body.id)}`);
    expect(row).toMatchObject({ trial: true });
    expect((await ann.request('GET', '/api/v1/workflows')).body.data).toEqual([]);
  });

  it('with a time of its own waits for no timer, and sees the time at which each step would run', async () => {
    const now = '2020-02-28T09:00:00Z';
    const time = (id: string): Json => set(id, { at: '{{ now() }}' });
    const steps: Json[] = [
      time('first'),
      { id: 'nap', type: 'wait', config: { for: '1d' } },
      time('second'),
      { id: 'late', type: 'wait', config: { until: '2020-03-31T00:00:00Z' } },
      set('last', {
        at: '{{ now() }}',
        first: '{{ steps.first.at }}',
        second: '{{ steps.second.at }}',
        begun: '{{ execution.started_at }}',
      }),
    ];
    const { body } = await tried({ dsl: dslOf(steps), now });
    expect(body).toMatchObject({
      status: 'completed',
      output: {
        begun: '2020-02-28T09:00:00.000Z',
        first: '2020-02-28T09:00:00.000Z',
        second: '2020-02-29T09:00:00.000Z',
        at: '2020-03-31T00:00:00.000Z',
      },
    });
    // For others, it ran when it did.
    expect(Date.parse(String(body.started_at))).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(Date.parse(String(body.ended_at))).toBeGreaterThanOrEqual(Date.parse(String(body.started_at)));
    expect((await tried({ dsl: dslOf(steps), now: 'noon' })).body).toMatchObject({ code: 'invalid_request' });
  });

  it('with a time of its own ends by its timeout, and repeats steps without a delay', async () => {
    const retry = { max_attempts: 3, backoff: 'fixed', initial_interval: '1h', jitter: 0 };
    const broken: Json = {
      id: 'broken',
      type: 'http_request',
      config: { url: 'http://127.0.0.1:1/' },
      on_error: 'continue',
      retry,
    };
    const { body: repeated } = await tried({
      dsl: dslOf([broken, set('at', { at: '{{ now() }}' })]),
      now: '2030-01-01',
    });
    expect(repeated).toMatchObject({ status: 'completed', output: { at: '2030-01-01T02:00:00.000Z' } });
    const nap: Json = { id: 'nap', type: 'wait', config: { for: '2d' } };
    const { body: late } = await tried({ dsl: dslOf([nap], { timeout: '1d' }), now: '2030-01-01' });
    expect(late).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
  });

  it('with a time of its own passes no timer while it waits for a message', async () => {
    const dsl = dslOf([
      {
        id: 'both',
        type: 'parallel',
        branches: [
          { id: 'a', steps: [{ id: 'nap', type: 'wait', config: { for: '30d' } }] },
          { id: 'b', steps: [{ id: 'ask', type: 'approval', config: { message: 'Go?' } }] },
        ],
      },
      set('last', { at: '{{ now() }}', approved: '{{ steps.ask.approved }}' }),
    ]);
    // In the past: to a host, its timer is overdue.
    const { body } = await tried({ dsl, now: '2020-01-01' }, '');
    const id = String(body.id);
    await until('the run waits', async () => (await ann.get(id)).waiting.some(({ kind }) => kind === 'approval'));
    const sent = await ann.request('POST', `/api/v1/executions/${id}/signal`, {
      signal: 'approve-ask',
      data: { approved: true },
    });
    expect(sent.status).toBe(202);
    expect((await ann.ended(id)).output).toEqual({ at: '2020-01-31T00:00:00.000Z', approved: true });
  });

  it('without wait is answered while it runs', async () => {
    const { status, body } = await tried({ dsl: dslOf([{ id: 'nap', type: 'wait', config: { for: '1h' } }]) }, '');
    expect([status, body.status]).toEqual([202, 'running']);
    expect((await ann.request('POST', `/api/v1/executions/${String(body.id)}/cancel`)).status).toBe(202);
  });

  it('refuses a document that is not valid with its faults, and a trigger that its inputs refuse', async () => {
    const invalid = await tried({ dsl: dslOf([{ id: 'a', type: 'sett' }]) });
    expect(invalid).toMatchObject({ status: 400, body: { code: 'invalid_dsl', details: [{ path: 'steps[0].type' }] } });
    const inputs = { type: 'object', required: ['n'] };
    expect(await tried({ dsl: dslOf([set('a', {})], { inputs }) })).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    });
  });

  it('counts as a run of its workflow, but neither in its health nor among its last runs', async () => {
    const id = await ann.workflow([set('a', {})]);
    await ann.run(id);
    const { body } = await tried({
      dsl: dslOf([{ id: 'f', type: 'fail', config: { message: 'x' } }]),
      workflow_id: id,
    });
    expect(body).toMatchObject({ status: 'failed', workflow_def_id: id });
    const listed = await ann.request('GET', `/api/v1/executions?workflow_id=${id}`);
    expect(listed.body.data).toHaveLength(2);
    const { body: health } = await ann.request('GET', `/api/v1/workflows/${id}/health`);
    expect(health).toMatchObject({ total: 1, completed: 1, failed: 0, last_error: null });
    const { body: list } = await ann.request('GET', '/api/v1/workflows');
    const row = (list.data as JsonObject[]).find((each) => each.id === id);
    expect(row?.recent_runs).toHaveLength(1);
  });

  it('starts no workflow when it fails, and cannot be retried', async () => {
    const listener = await ann.workflow([set('a', {})], { trigger: { type: 'error' } });
    const { body } = await tried({ dsl: dslOf([{ id: 'f', type: 'fail', config: { message: 'x' } }]) });
    const id = String(body.id);
    expect((await ann.request('POST', `/api/v1/executions/${id}/retry`, {})).status).toBe(409);
    // A run that counts, afterwards: what the trial had started would be there before.
    const other = await ann.workflow([{ id: 'f', type: 'fail', config: { message: 'y' } }]);
    const failed = await ann.run(other);
    const runs = async () =>
      (await ann.request('GET', `/api/v1/executions?workflow_id=${listener}`)).body.data as JsonObject[];
    await until('the failure of a run has started the workflow', async () => (await runs()).length > 0);
    const causes = await Promise.all((await runs()).map(async (run) => (await ann.get(String(run.id))).trigger));
    expect(JSON.stringify(causes)).toContain(failed.id);
    expect(JSON.stringify(causes)).not.toContain(id);
  });

  it('neither waits for runs of one key nor cancels them', async () => {
    const concurrency = { key: 'one', limit: 1, on_conflict: 'cancel_running' };
    const id = await ann.workflow([{ id: 'nap', type: 'wait', config: { for: '1h' } }], { concurrency });
    const live = await ann.start(id);
    const { body } = await tried({ dsl: dslOf([set('a', { ok: true })], { concurrency }), workflow_id: id });
    expect(body).toMatchObject({ status: 'completed', output: { ok: true } });
    expect(await ann.get(live)).toMatchObject({ status: 'running' });
    await ann.request('POST', `/api/v1/executions/${live}/cancel`);
  });

  it('of an unknown workflow, secret or earlier run is refused', async () => {
    const dsl = dslOf([set('a', {})]);
    const none = '00000000-0000-4000-8000-000000000000';
    expect((await tried({ dsl, workflow_id: none })).status).toBe(404);
    expect((await tried({ dsl, from_execution: none })).status).toBe(404);
    expect((await tried({ dsl, until_step: 'b' })).status).toBe(404);
    const secret = dslOf([call('a', 'GET', { config: { url: `${peer.url}/{{ secret.NONE }}` } })]);
    expect(await tried({ dsl: secret })).toMatchObject({ status: 400, body: { code: 'unknown_secret' } });
  });
});

describe('until_step', () => {
  it('ends the run after the step, whose output is that of the run', async () => {
    const dsl = dslOf([set('a', { n: 1 }), set('b', { n: '{{ steps.a.n + 1 }}' }), call('c')], {
      output: { all: '{{ steps.c.status }}' },
    });
    const { body } = await tried({ dsl, until_step: 'b' });
    expect(body).toMatchObject({ status: 'completed', output: { n: 2 } });
    expect(await statuses(body.id)).toEqual({ a: 'completed', b: 'completed' });
    expect(peer.paths()).toEqual([]);
  });

  it('runs only what the step waits for', async () => {
    const dsl = dslOf([
      set('a', { n: 1 }),
      call('beside', 'GET', { needs: [] }),
      set('c', { n: '{{ steps.a.n }}' }, { needs: ['a'] }),
      set('d', {}),
    ]);
    const { body } = await tried({ dsl, until_step: 'c' });
    expect(await statuses(body.id)).toEqual({ a: 'completed', c: 'completed' });
    expect(peer.paths()).toEqual([]);
  });

  it('in a step that holds others ends there, in every item of a loop', async () => {
    const inner = [set('x', { v: '{{ loop.item }}' }), call('y')];
    const dsl = dslOf([{ id: 'each', type: 'foreach', config: { items: [1, 2] }, steps: inner }, call('z')]);
    const { body } = await tried({ dsl, until_step: 'x' });
    expect(body.output).toEqual({ results: [{ v: 1 }, { v: 2 }], count: 2 });
    expect(peer.paths()).toEqual([]);
  });

  it('in a branch of several runs that one alone', async () => {
    const branches = [
      { id: 'left', steps: [set('l', { side: 'left' }), call('m')] },
      { id: 'right', steps: [call('r')] },
    ];
    const { body } = await tried({ dsl: dslOf([{ id: 'both', type: 'parallel', branches }]), until_step: 'l' });
    expect(body.output).toEqual({ branches: { left: { side: 'left' } } });
    expect(peer.paths()).toEqual([]);
  });
});

describe('pins', () => {
  it('stand for the outputs of their steps, which do not run', async () => {
    const dsl = dslOf([call('a'), set('b', { total: '{{ steps.a.body.total * 2 }}' })]);
    const { body } = await tried({ dsl, pins: { a: { body: { total: 21 } } } });
    expect(body).toMatchObject({ status: 'completed', output: { total: 42 }, pinned: ['a'] });
    expect(peer.paths()).toEqual([]);
  });

  it('of the document count, unless the trial has others', async () => {
    const dsl = dslOf([call('a', 'GET', { pin: { n: 1 } }), set('b', { n: '{{ steps.a.n }}' })]);
    expect((await tried({ dsl })).body).toMatchObject({ output: { n: 1 }, pinned: ['a'] });
    expect((await tried({ dsl, pins: { a: { n: 2 } } })).body).toMatchObject({ output: { n: 2 }, pinned: ['a'] });
  });

  it('of steps that are not there, or that hold others, are refused with their places', async () => {
    const dsl = dslOf([{ id: 'each', type: 'foreach', config: { items: [1] }, steps: [set('x', {})] }]);
    const { status, body } = await tried({ dsl, pins: { each: {}, none: {} } });
    expect(status).toBe(400);
    expect((body.details as JsonObject[]).map(({ path }) => path)).toEqual(['pins.each', 'pins.none']);
  });
});

describe('suppress_writes', () => {
  it('keeps steps that change something outside from running, and says why', async () => {
    const dsl = dslOf([
      call('read'),
      call('write', 'POST'),
      {
        id: 'mail',
        type: 'email_send',
        config: { to: 'a@example.com', subject: 's', text: 't', from: 'b@example.com' },
      },
      set('after', { status: '{{ steps.read.status }}', note: '{{ steps.write.reason }}' }),
    ]);
    const { body } = await tried({ dsl, suppress_writes: true });
    expect(body).toMatchObject({ status: 'completed', suppressed: ['write', 'mail'], output: { status: 200 } });
    expect((body.output as JsonObject).note).toContain('did not run');
    expect(peer.paths()).toEqual(['GET /read']);
  });

  it('leaves the output of a pin', async () => {
    const dsl = dslOf([call('write', 'POST'), set('after', { id: '{{ steps.write.body.id }}' })]);
    const { body } = await tried({ dsl, suppress_writes: true, pins: { write: { body: { id: 7 } } } });
    expect(body).toMatchObject({ output: { id: 7 }, pinned: ['write'], suppressed: [] });
  });
});

describe('from_execution', () => {
  const steps = (n: number) => [call('a'), call('b', 'POST'), set('c', { n, seen: '{{ steps.b.status }}' })];

  it('takes the outputs of steps that are the same, and the trigger', async () => {
    const id = await ann.workflow(steps(1));
    const first = await ann.run(id, { who: 'ann' });
    peer.forget();
    const dsl = dslOf([...steps(2), set('d', { who: '{{ trigger.who }}', n: '{{ steps.c.n }}' })]);
    const { body } = await tried({ dsl, workflow_id: id, from_execution: String(first.id) });
    expect(body).toMatchObject({ status: 'completed', output: { who: 'ann', n: 2 }, retry_of: null });
    expect(peer.paths()).toEqual([]);
  });

  it('runs a step that has changed, and those after it', async () => {
    const first = (await tried({ dsl: dslOf(steps(1)) })).body;
    peer.forget();
    const changed = call('b', 'POST', { config: { method: 'POST', url: `${peer.url}/changed` } });
    const { body } = await tried({
      dsl: dslOf([call('a'), changed, ...steps(1).slice(2)]),
      from_execution: String(first.id),
    });
    expect(body).toMatchObject({ status: 'completed', output: { n: 1, seen: 200 } });
    expect(peer.paths()).toEqual(['POST /changed']);
  });

  it('runs a step anew that the trial runs up to', async () => {
    const first = (await tried({ dsl: dslOf(steps(1)) })).body;
    peer.forget();
    const { body } = await tried({ dsl: dslOf(steps(1)), from_execution: String(first.id), until_step: 'b' });
    expect(body).toMatchObject({ status: 'completed', output: { status: 200 } });
    expect(peer.paths()).toEqual(['POST /b']);
  });

  it('prefers what a suppressed step has put out in the run, and runs for real what was suppressed in it', async () => {
    const real = (await tried({ dsl: dslOf(steps(1)) })).body;
    peer.forget();
    const again = await tried({ dsl: dslOf(steps(2)), from_execution: String(real.id), suppress_writes: true });
    expect(again.body).toMatchObject({ output: { n: 2, seen: 200 }, suppressed: ['b'] });
    expect(peer.paths()).toEqual([]);
    const without = (await tried({ dsl: dslOf([call('a'), call('b', 'POST')]), suppress_writes: true })).body;
    peer.forget();
    const now = await tried({ dsl: dslOf([call('a'), call('b', 'POST')]), from_execution: String(without.id) });
    expect(now.body).toMatchObject({ output: { status: 200 } });
    expect(peer.paths()).toEqual(['POST /b']);
  });

  it('runs a step anew that holds a changed one', async () => {
    const loop = (more: Json[]): Json => ({
      id: 'each',
      type: 'foreach',
      config: { items: [1, 2] },
      steps: [call('x'), ...more],
    });
    const first = (await tried({ dsl: dslOf([call('a'), loop([])]) })).body;
    peer.forget();
    await tried({ dsl: dslOf([call('a'), loop([set('y', {})])]), from_execution: String(first.id) });
    expect(peer.paths()).toEqual(['GET /x', 'GET /x']);
  });

  it('is refused for the test of a step', async () => {
    const id = await ann.workflow([set('a', {})]);
    const { body } = await ann.request('POST', `/api/v1/workflows/${id}/steps/a/test`, {});
    expect((await tried({ dsl: dslOf([set('a', {})]), from_execution: body.execution_id as string })).status).toBe(409);
  });
});

it('a member of a tenant that requires approval cannot try a document of their own', async () => {
  const bea = await site.user();
  await bea.request('PUT', '/api/v1/tenant/settings', { require_approval: true });
  const invited = await bea.request('POST', '/api/v1/team/invite', { email: 'm@example.com', role: 'member' });
  const token = new URL(String(invited.body.invite_url)).searchParams.get('token');
  const password = 'correct horse battery';
  const joined = await bea.request('POST', '/api/v1/auth/accept-invite', { token, password });
  const headers = { authorization: `Bearer ${String(joined.body.token)}` };
  const body = { dsl: dslOf([set('a', {})]) };
  expect((await bea.request('POST', '/api/v1/workflows/try', body, headers)).status).toBe(403);
  expect((await bea.request('POST', '/api/v1/workflows/try', body)).status).toBe(202);
});

/** A server that records the requests it gets. */
interface Peer {
  readonly url: string;
  paths(): string[];
  forget(): void;
  close(): Promise<void>;
}

async function startPeer(): Promise<Peer> {
  let seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths: () => seen,
    forget: () => {
      seen = [];
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
