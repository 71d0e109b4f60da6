import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '../../support/app';
import { allServices } from '../../support/services';
import { Api } from '../../support/server';
import { until } from '../../support/until';

const DSL = {
  id: 'flow',
  trigger: { type: 'http' },
  steps: [{ id: 'a', type: 'set', config: { a: 1 } }],
};

let t: TestApp;
let owner: Api;
let colleagues = 0;

beforeAll(async () => {
  t = await startApp({ services: [allServices] });
  owner = new Api(t.url);
  await owner.register('folders');
  const { id: tenant_id } = await owner.call<{ id: string }>('GET', '/api/v1/tenant');
  await t.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id, role: 'service' });
}, 60_000);
afterAll(() => t.close());

interface Colleague {
  readonly api: Api;
  readonly id: string;
  readonly email: string;
}

async function colleague(
  role: 'admin' | 'member' | 'viewer' = 'member',
  email = `person-${(colleagues += 1)}@folders.example`,
): Promise<Colleague> {
  const { invite_url } = await owner.call<{ invite_url: string }>('POST', '/api/v1/team/invite', { email, role });
  const api = new Api(t.url);
  const accept = { token: new URL(invite_url).searchParams.get('token'), password: 'a-long-password' };
  const { token, user } = await api.call<{ token: string; user: { id: string } }>(
    'POST',
    '/api/v1/auth/accept-invite',
    accept,
  );
  api.token = token;
  return { api, id: user.id, email };
}

const create = async (folder: string, api = owner): Promise<string> =>
  (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: `in ${folder}`, folder, dsl: DSL })).id;

const restrict = (folder: string, grants: object[], api = owner) =>
  api.ask('PUT', `/api/v1/folders/${encodeURIComponent(folder)}/access`, { access: 'restricted', grants } as never);

const grant = ({ id }: Pick<Colleague, 'id'>, right: string) => ({ kind: 'member', id, right });

/** The statuses of a view, a start and a change. */
async function tried(api: Api, id: string): Promise<number[]> {
  const view = await api.ask('GET', `/api/v1/workflows/${id}`);
  const run = await api.ask('POST', `/api/v1/workflows/${id}/trigger`, {});
  const edit = await api.ask('PUT', `/api/v1/workflows/${id}`, { description: 'changed' });
  return [view.status, run.status, edit.status];
}

test('each right allows what it names and what is before it', async () => {
  const id = await create('rights');
  const [viewer, runner, editor, none, role] = [
    await colleague(),
    await colleague(),
    await colleague(),
    await colleague(),
    await colleague('viewer'),
  ];
  const grants = [grant(viewer, 'view'), grant(runner, 'run'), grant(editor, 'edit'), grant(role, 'manage')];
  expect(await restrict('rights', grants)).toMatchObject({ status: 200, body: { access: 'restricted', revision: 1 } });
  expect(await tried(viewer.api, id)).toEqual([200, 403, 403]);
  expect(await tried(runner.api, id)).toEqual([200, 202, 403]);
  expect(await tried(editor.api, id)).toEqual([200, 202, 200]);
  expect(await tried(none.api, id)).toEqual([404, 404, 404]);
  // A workspace viewer never has more than view.
  expect(await tried(role.api, id)).toEqual([200, 403, 403]);
  expect(await tried((await colleague('admin')).api, id)).toEqual([200, 202, 200]);
  const refused = await viewer.api.ask('POST', `/api/v1/workflows/${id}/trigger`, {});
  expect(refused.body).toMatchObject({
    code: 'forbidden',
    error: expect.stringContaining('the right run on the folder "rights"; yours is view'),
  });
});

test('pages of a list are full, without the workflows that the caller may not see', async () => {
  const none = await colleague();
  await restrict('pages', []);
  for (let n = 0; n < 6; n += 1) await create(n % 2 === 0 ? 'pages' : 'paged');
  const path = '/api/v1/workflows?folder=paged&limit=2';
  const first = await none.api.call<{ data: unknown[]; next_cursor: string }>('GET', path);
  expect(first.data).toHaveLength(2);
  const last = await none.api.call<{ data: unknown[]; next_cursor: null }>(
    'GET',
    `${path}&cursor=${first.next_cursor}`,
  );
  expect([last.data.length, last.next_cursor]).toEqual([1, null]);
  expect(await none.api.call('GET', '/api/v1/workflows?folder=pages')).toMatchObject({ data: [] });
  const { data: folders } = await none.api.call<{ data: { folder: string; right: string }[] }>(
    'GET',
    '/api/v1/folders',
  );
  expect(folders.map(({ folder }) => folder)).not.toContain('pages');
  expect(folders).toContainEqual(expect.objectContaining({ folder: 'paged', right: 'edit', restricted: false }));
});

test('a workflow moves only between folders that the caller may edit, and its right moves with it', async () => {
  const editor = await colleague();
  await restrict('from', [grant(editor, 'edit')]);
  await restrict('to', [grant(editor, 'view')]);
  const id = await create('from', editor.api);
  const move = (folder: string) => editor.api.ask('PUT', `/api/v1/workflows/${id}`, { folder });
  expect((await move('to')).status).toBe(403);
  expect((await move('from/inner')).status).toBe(200);
  await owner.call('PUT', `/api/v1/workflows/${id}`, { folder: 'to' });
  expect(await tried(editor.api, id)).toEqual([200, 403, 403]);
  expect((await move('from')).status).toBe(403);
  expect((await editor.api.ask('POST', '/api/v1/workflows', { name: 'x', folder: 'to', dsl: DSL })).status).toBe(403);
});

test('someone who manages a folder changes its rules, and admins do when no one does any more', async () => {
  const [manager, other] = [await colleague(), await colleague()];
  const id = await create('managed');
  await restrict('managed', [grant(manager, 'manage')]);
  expect((await restrict('managed', [grant(manager, 'manage'), grant(other, 'edit')], manager.api)).status).toBe(200);
  expect((await restrict('managed', [], other.api)).status).toBe(403);
  expect((await restrict('elsewhere', [], manager.api)).status).toBe(403);
  await owner.call('DELETE', `/api/v1/team/members/${manager.id}`);
  const again = await colleague();
  expect((await tried(again.api, id))[0]).toBe(404);
  const { body } = await owner.ask('GET', '/api/v1/folders/managed/access');
  expect(body).toMatchObject({
    grants: [
      { id: manager.id, name: null },
      { id: other.id, name: other.email },
    ],
  });
  expect((await restrict('managed', [grant(again, 'manage')])).status).toBe(200);
  expect((await tried(again.api, id))[0]).toBe(200);
});

test('rules name members by id or address, and are changed by those who have seen them', async () => {
  const member = await colleague();
  const unknown = await restrict('named', [{ kind: 'member', id: 'no-one@folders.example', right: 'view' }]);
  expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect((await restrict('named', [{ kind: 'group', id: member.id, right: 'view' }])).status).toBe(400);
  const made = await restrict('named', [{ kind: 'member', id: member.email.toUpperCase(), right: 'view' }]);
  expect(made.body).toMatchObject({ grants: [{ id: member.id, name: member.email }], revision: 1 });
  const path = '/api/v1/folders/named/access';
  const open = (revision: number) => owner.ask('PUT', path, { access: 'open', grants: [], revision });
  expect([(await open(0)).status, (await open(1)).status, (await open(1)).status]).toEqual([409, 200, 409]);
  expect((await owner.ask('DELETE', path)).status).toBe(204);
  expect((await owner.ask('DELETE', path)).status).toBe(404);
  const { data } = await owner.call<{ data: { action: string }[] }>('GET', '/api/v1/audit?target=named');
  expect(data.map(({ action }) => action)).toEqual(['folder.access_remove', 'folder.access_set', 'folder.access_set']);
});

test('API keys and service accounts have rights on folders, too', async () => {
  const id = await create('keys');
  const account = await owner.call<{ id: string }>('POST', '/api/v1/team/service-accounts', {
    name: 'robot',
    role: 'member',
  });
  const keyOf = async (body: object): Promise<Api> => {
    const api = new Api(t.url);
    api.token = (await owner.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'key', ...body } as never)).key;
    return api;
  };
  const robot = await keyOf({ service_account_id: account.id });
  expect((await tried(robot, id))[0]).toBe(200);
  await restrict('keys', []);
  expect((await tried(robot, id))[0]).toBe(404);
  await restrict('keys', [grant(account, 'run')]);
  expect(await tried(robot, id)).toEqual([200, 202, 403]);
  // A key of an owner, whose role the scope lowers.
  expect(await tried(await keyOf({ scope: 'run' }), id)).toEqual([200, 202, 403]);
  expect(await tried(await keyOf({ scope: 'edit' }), id)).toEqual([200, 202, 200]);
});

/** Reads the events of the workspace; the text so far. */
async function eventsOf(api: Api): Promise<{ text(): string; close(): void }> {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${api.token}` };
  const response = await fetch(`${t.url}/api/v1/events`, { headers, signal: abort.signal });
  expect(response.status).toBe(200);
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      text += Buffer.from(chunk).toString();
  };
  void read().catch(() => undefined);
  return { text: () => text, close: () => abort.abort() };
}

test('the event stream leaves out hidden workflows, also for an admin who became a member while it is open', async () => {
  const [hidden, shown] = [await create('Events/Secret'), await create('Events')];
  await restrict('Events/Secret', []);
  const [admin, member] = [await colleague('admin'), await colleague('member')];
  const [ofAdmin, ofMember] = [await eventsOf(admin.api), await eventsOf(member.api)];
  /** Starts the hidden workflow, then the other; waits until events of the other have come. */
  const round = async (): Promise<void> => {
    const runs = [];
    for (const id of [hidden, shown]) {
      const run = await owner.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {});
      runs.push(run.id);
      await until('the run ends', async () => {
        const { status } = await owner.call<{ status: string }>('GET', `/api/v1/executions/${run.id}`);
        return status !== 'running';
      });
    }
    const last = String(runs.at(-1));
    await until('both have seen it', () => [ofAdmin, ofMember].every((events) => events.text().includes(last)));
  };
  await round();
  expect(ofAdmin.text()).toContain(hidden);
  await owner.call('PUT', `/api/v1/team/members/${admin.id}/role`, { role: 'member' });
  await until('the stream hides it', async () => {
    // More than 100 events of a tenant in one second are dropped.
    await sleep(300);
    const before = ofAdmin.text().length;
    await round();
    return !ofAdmin.text().slice(before).includes(hidden);
  });
  expect(ofMember.text()).toContain(shown);
  expect(ofMember.text()).not.toContain(hidden);
  for (const events of [ofAdmin, ofMember]) events.close();
}, 60_000);

test('a stream of a busy run ends soon after the right is withdrawn, though others follow the run', async () => {
  const reader = await colleague();
  const steps = [
    {
      id: 'each',
      type: 'foreach',
      config: { items: '{{ range(400) }}' },
      steps: [{ id: 'pause', type: 'wait', config: { for: '50ms' } }],
    },
  ];
  const dsl = { id: 'busy', trigger: { type: 'http' }, steps };
  const workflow = { name: 'Busy', folder: 'busy', dsl };
  const { id } = await owner.call<{ id: string }>('POST', '/api/v1/workflows', workflow);
  await restrict('busy', [grant(reader, 'view')]);
  const { id: run } = await owner.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {});
  const ended = new Set<Api>();
  const streamOf = async (api: Api): Promise<AbortController> => {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${api.token}` };
    const response = await fetch(`${t.url}/api/v1/executions/${run}/stream`, { headers, signal: abort.signal });
    expect(response.status).toBe(200);
    void response.text().then(
      () => ended.add(api),
      () => undefined,
    );
    return abort;
  };
  const streams = [await streamOf(owner), await streamOf(reader.api)];
  await restrict('busy', []);
  await until('the stream of the reader ends', () => ended.has(reader.api));
  expect(ended.has(owner)).toBe(false);
  for (const stream of streams) stream.abort();
  await owner.call('POST', `/api/v1/executions/${run}/cancel`, {});
}, 60_000);

test('a member who is removed and invited again by the same address has no rights of before', async () => {
  const id = await create('again');
  const first = await colleague();
  await restrict('again', [grant(first, 'manage')]);
  expect(await tried(first.api, id)).toEqual([200, 202, 200]);
  expect((await owner.ask('DELETE', `/api/v1/team/members/${first.id}`)).status).toBe(204);
  const second = await colleague('member', first.email);
  expect(second.id).not.toBe(first.id);
  expect(await tried(second.api, id)).toEqual([404, 404, 404]);
});

test('a member of a group of the identity provider has the right of the group until it leaves the group', async () => {
  const id = await create('grouped');
  const { key } = await owner.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'scim', scope: 'scim' });
  const member = await colleague();
  const scim = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${t.url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? { id: '' } : ((await response.json()) as { id: string });
  };
  const members = [{ value: member.id }];
  const group = await scim('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Payroll',
    members,
  });
  await restrict('grouped', [{ kind: 'group', id: group.id, right: 'run' }]);
  await until('the member has the right', async () => (await tried(member.api, id)).join() === '200,202,403');
  await scim('PATCH', `/Groups/${group.id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'remove', path: `members[value eq "${member.id}"]` }],
  });
  await until('the right is gone', async () => (await tried(member.api, id)).join() === '404,404,404');
});
