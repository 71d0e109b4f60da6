import { type Client, createClient, type EverstepError } from '../../clients/typescript/src';
import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from './support/installation';
import { createWorkflow, ended, type Execution, getDetail, getRun, trigger, waitingFor } from './support/runs';
import { Witness } from './support/witness';

let installation: Installation;
let witness: Witness;
let owner: Api;

beforeAll(async () => {
  installation = await Installation.make();
  witness = await Witness.open((path, count, response) => {
    if (path.startsWith('/silent')) return;
    response.statusCode = path.startsWith('/down') || (path.startsWith('/once-down') && count === 1) ? 503 : 200;
    response.setHeader('content-type', 'application/json').end(`{"path":"${path}","count":${count}}`);
  });
  await installation.start();
  owner = new Api(installation.url);
  await owner.register('acme');
}, 60_000);

afterAll(async () => {
  await installation?.remove();
  witness?.close();
});

/** The published client, with a credential, or with none. */
const clientOf = (token: string): Client => createClient({ baseUrl: installation.url, token });

const faultOf = (refused: Promise<unknown>): Promise<EverstepError> =>
  refused.then(
    () => Promise.reject(new Error('It was not refused')),
    (fault: EverstepError) => fault,
  );

/** A client of the same server with another credential, or with none. */
function as(token: string): Api {
  const api = new Api(installation.url);
  api.token = token;
  return api;
}

const anonymous = (): Api => as('');

describe('accounts', () => {
  it('sign in with what they registered, and not with another password', async () => {
    const login = { tenant_slug: 'acme', email: 'owner@acme.example', password: 'a-long-password' };
    const { token, user } = await clientOf('').auth.login({ body: login });
    expect(user.role).toBe('owner');
    expect((await clientOf(token).auth.tenant()).slug).toBe('acme');
    const wrong = await faultOf(clientOf('').auth.login({ body: { ...login, password: 'another-password' } }));
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_login', requestId: expect.any(String) });
  });

  it('work with an API key until it is revoked', async () => {
    const made = await clientOf(owner.token).auth.create_api_key({ body: { name: 'ci' } });
    const keyed = clientOf(made.key);
    expect(await keyed.workflows.list()).toMatchObject({ offset: 0 });
    await keyed.auth.revoke_api_key({ id: made.id });
    expect(await faultOf(keyed.workflows.list())).toMatchObject({ status: 401, code: 'unauthenticated' });
  });
});

describe('a workflow of five steps', () => {
  let id: string;
  const outcome = { doubled: 42, asked: 200, text: 'hello BOB' };

  beforeAll(async () => {
    id = await createWorkflow(
      owner,
      [
        { id: 'input', type: 'set', config: { n: '{{ trigger.body.n }}', name: '{{ trigger.body.name }}' } },
        { id: 'double', type: 'set', config: { n: '{{ steps.input.n * 2 }}' } },
        {
          id: 'ask',
          type: 'http_request',
          config: { url: `${witness.url}/ask`, query: { n: '{{ steps.double.n }}' } },
        },
        { id: 'greet', type: 'set', config: { text: 'hello {{ steps.input.name | upper }}' } },
        { id: 'note', type: 'log', config: { message: '{{ steps.greet.text }}' } },
      ],
      { output: { doubled: '{{ steps.double.n }}', asked: '{{ steps.ask.status }}', text: '{{ steps.greet.text }}' } },
    );
  });
  const body = { n: 21, name: 'bob' };

  it('runs by hand, and tells of it as it goes', async () => {
    const client = clientOf(owner.token);
    const started = await client.workflows.trigger({ id, body: { body } });
    expect(started).toMatchObject({ status: 'running', trigger_type: 'manual' });
    const events: string[] = [];
    for await (const { event } of client.executions.stream({ id: started.id })) events.push(event);
    expect([events.includes('step'), events.at(-1)]).toEqual([true, 'end']);
    expect(await client.executions.get({ id: started.id })).toMatchObject({ status: 'completed', output: outcome });
    expect((await client.executions.get({ id: started.id })).error).toBeNull();
  });

  it('runs by webhook, and its starter can look at it without a credential', async () => {
    const starter = clientOf('');
    const { execution_id } = await starter.webhooks.start({ id, body });
    const run = await until('the run ends', async () => {
      const seen = await starter.executions.public({ id: execution_id });
      return seen.status === 'completed' ? seen : null;
    });
    expect(run.output).toEqual(outcome);
    expect(run).not.toHaveProperty('trigger');
  });

  it('answers a synchronous webhook with its output', async () => {
    expect(await clientOf('').webhooks.start_and_wait({ id, body })).toEqual(outcome);
  });

  it('runs with a key of its own, waiting or not, until the key is revoked', async () => {
    const client = clientOf(owner.token);
    const made = await client.workflows.create_key({ id, body: {} });
    const keyed = clientOf(made.key);
    const { execution_id } = (await keyed.webhooks.run({ id, body })) as { execution_id: string };
    expect(await ended(owner, execution_id)).toMatchObject({ trigger_type: 'api', output: outcome });
    expect(await keyed.webhooks.run({ id, wait: '1', body })).toEqual(outcome);
    for (const wrong of [client, clientOf('')])
      expect(await faultOf(wrong.webhooks.run({ id, body }))).toMatchObject({ status: 401 });
    await client.workflows.revoke_key({ id, key_id: made.id });
    expect(await faultOf(keyed.webhooks.run({ id, body }))).toMatchObject({ status: 401 });
  });

  it('is listed with its runs, which have a record for each step', async () => {
    const run = await trigger(owner, id, { body });
    await ended(owner, run);
    const list = await owner.call<{ data: { id: string }[]; limit: number }>('GET', '/api/v1/executions?limit=1');
    expect(list).toMatchObject({ limit: 1, data: [{ id: run, workflow_def_id: id, status: 'completed' }] });
    const { steps } = await getDetail(owner, run);
    expect(steps.map(({ step_id, status }) => [step_id, status])).toEqual(
      ['input', 'double', 'ask', 'greet', 'note'].map((step) => [step, 'completed']),
    );
  });

  it('is unknown to other tenants, as are its runs', async () => {
    const run = await trigger(owner, id, { body });
    const outsider = anonymous();
    await outsider.register('outsider');
    for (const path of [
      `workflows/${id}`,
      `workflows/${id}/export`,
      `executions/${run}`,
      `executions/${run}/detail`,
      `executions/${run}/stream`,
    ])
      expect((await outsider.ask('GET', `/api/v1/${path}`)).status).toBe(404);
    expect((await outsider.ask('POST', `/api/v1/executions/${run}/cancel`)).status).toBe(404);
    expect((await outsider.ask('POST', `/api/v1/workflows/${id}/trigger`, {})).status).toBe(404);
    expect(await outsider.call('GET', '/api/v1/executions')).toMatchObject({ data: [] });
  });
});

it("a webhook_response step makes a synchronous webhook's answer", async () => {
  const id = await createWorkflow(owner, [
    {
      id: 'reply',
      type: 'webhook_response',
      config: { status: 418, headers: { 'x-kind': 'teapot' }, body: { echo: '{{ trigger.body.say }}' } },
    },
  ]);
  const { status, headers, body } = await anonymous().ask('POST', `/webhooks/${id}/sync`, { say: 'short' });
  expect({ status, kind: headers.get('x-kind'), body }).toEqual({
    status: 418,
    kind: 'teapot',
    body: { echo: 'short' },
  });
});

it('a webhook with a key answers only to that key', async () => {
  const id = await createWorkflow(owner, [{ id: 'one', type: 'set', config: { ok: true } }]);
  const { webhook_api_key: key } = await owner.call<{ webhook_api_key: string }>(
    'PUT',
    `/api/v1/workflows/${id}/webhook-key`,
    {},
  );
  const withKey = (given: Record<string, string>) => anonymous().ask('POST', `/webhooks/${id}/sync`, {}, given);
  expect((await withKey({})).status).toBe(401);
  expect((await withKey({ 'x-api-key': `${key}x` })).status).toBe(401);
  expect((await withKey({ 'x-api-key': key })).status).toBe(200);
});

describe('a step that fails', () => {
  it('is shown with its error, and a retry repeats nothing that was completed', async () => {
    const id = await createWorkflow(owner, [
      { id: 'first', type: 'http_request', config: { method: 'POST', url: `${witness.url}/first` } },
      { id: 'second', type: 'http_request', config: { method: 'POST', url: `${witness.url}/once-down` } },
      { id: 'third', type: 'http_request', config: { method: 'POST', url: `${witness.url}/third` } },
    ]);
    const failed = await ended(owner, await trigger(owner, id));
    expect(failed).toMatchObject({ status: 'failed', error: { step_id: 'second', code: 'http_status' } });
    const { steps } = await getDetail(owner, failed.id);
    expect(steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'pending']);
    expect(steps[1]?.error?.message).toContain('503');

    const { status, body: retried } = await owner.ask<Execution>('POST', `/api/v1/executions/${failed.id}/retry`);

    expect(status).toBe(202);
    expect(await ended(owner, retried.id)).toMatchObject({ status: 'completed', retry_of: failed.id });
    expect(['/first', '/once-down', '/third'].map((path) => witness.count(path))).toEqual([1, 2, 1]);
  });

  it("fails a synchronous webhook with the run's id", async () => {
    const id = await createWorkflow(owner, [{ id: 'no', type: 'fail', config: { message: 'No stock left' } }]);
    const { status, body } = await anonymous().ask('POST', `/webhooks/${id}/sync`, {});
    expect(status).toBe(500);
    expect(body).toMatchObject({ error: 'The run failed', execution_id: expect.any(String) });
  });
});

describe('an approval', () => {
  let id: string;

  beforeAll(async () => {
    id = await createWorkflow(
      owner,
      [
        { id: 'ask', type: 'approval', config: { message: 'Ship <order> 4711?' } },
        { id: 'ship', type: 'set', if: '{{ steps.ask.approved }}', config: { shipped: true } },
      ],
      { output: { approved: '{{ steps.ask.approved }}', comment: '{{ steps.ask.comment }}' } },
    );
  });

  const waiting = async () => {
    const run = await waitingFor(owner, await trigger(owner, id), 'approval');
    const { data } = await owner.call<{ data: { execution_id: string; approve_url: string; reject_url: string }[] }>(
      'GET',
      '/api/v1/approvals',
    );
    const row = data.find((one) => one.execution_id === run.id);
    if (row === undefined) throw new Error('The approval is not listed');
    return { run: run.id, approve: pathOf(row.approve_url), reject: pathOf(row.reject_url) };
  };
  const pathOf = (url: string): string =>
    new URL(url, installation.url).pathname + new URL(url, installation.url).search;

  it('is decided once by a link that answers JSON', async () => {
    const { run, approve, reject } = await waiting();
    expect((await anonymous().ask('GET', approve)).status).toBe(200);
    expect((await ended(owner, run)).output).toMatchObject({ approved: true });
    const second = await anonymous().ask('GET', reject);
    expect(second.status).toBe(409);
    expect(String(second.body.error)).toMatch(/approved/i);
  });

  it('asks people in a browser for a confirmation first', async () => {
    const { run, reject } = await waiting();
    const html = { accept: 'text/html' };
    const page = await anonymous().ask<string>('GET', reject, undefined, html);
    expect(page.status).toBe(200);
    expect(page.body).toContain('Ship &lt;order&gt; 4711?');
    expect(page.body).toContain('>Reject</button>');
    expect((await getRun(owner, run)).status).toBe('running');
    expect((await anonymous().ask<string>('GET', `${reject}&confirm=1`, undefined, html)).body).toContain('Rejected');
    expect((await ended(owner, run)).output).toMatchObject({ approved: false });
    expect((await getDetail(owner, run)).steps[1]?.status).toBe('skipped');
  });

  it('is decided by a signal', async () => {
    const { run } = await waiting();
    const data = { approved: true, comment: 'go on' };
    await owner.call('POST', `/api/v1/executions/${run}/signal`, { signal: 'approve-ask', data });
    expect((await ended(owner, run)).output).toEqual({ approved: true, comment: 'go on' });
  });
});

it('cancel interrupts the request that a step has in flight', async () => {
  const id = await createWorkflow(owner, [
    { id: 'slow', type: 'http_request', config: { url: `${witness.url}/silent` } },
  ]);
  const run = await trigger(owner, id);
  await until('the request arrives', () => witness.count('/silent') === 1);
  await owner.call('POST', `/api/v1/executions/${run}/cancel`);
  await until('the request is hung up', () => witness.hungUp.includes('/silent'));
  expect((await ended(owner, run)).status).toBe('cancelled');
  expect((await owner.ask('POST', `/api/v1/executions/${run}/cancel`)).status).toBe(409);
});

it('a disabled workflow starts in no way, and a removed one is gone with its runs', async () => {
  const id = await createWorkflow(owner, [{ id: 'wait', type: 'wait', config: { for: '1h' } }]);
  const { key } = await owner.call<{ key: string }>('POST', `/api/v1/workflows/${id}/api-keys`, {});
  const run = await trigger(owner, id);
  const starts = async () =>
    (
      await Promise.all([
        owner.ask('POST', `/api/v1/workflows/${id}/trigger`, {}),
        anonymous().ask('POST', `/webhooks/${id}`, {}),
        anonymous().ask('POST', `/webhooks/${id}/sync`, {}),
        as(key).ask('POST', `/run/${id}`, {}),
      ])
    ).map(({ status }) => status);

  await owner.call('PUT', `/api/v1/workflows/${id}/disable`);
  expect(await starts()).toEqual([409, 409, 409, 409]);

  await owner.call('PUT', `/api/v1/workflows/${id}/enable`);
  expect((await owner.ask('DELETE', `/api/v1/workflows/${id}`)).status).toBe(204);
  expect(await starts()).toEqual([404, 404, 404, 404]);
  expect((await owner.ask('GET', `/api/v1/workflows/${id}`)).status).toBe(404);
  expect((await owner.ask('GET', `/api/v1/executions/${run}`)).status).toBe(404);
  expect((await anonymous().ask('GET', `/public/executions/${run}`)).status).toBe(404);
});
