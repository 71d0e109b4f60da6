import type { Json, JsonObject } from '../../../lib/json';
import { schedulerService } from '../../../services/scheduler/scheduler.service';
import { openSite, type Reply, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite({ more: [(app) => schedulerService(app)] });
  ann = await site.user();
});
afterAll(() => site?.close());

const set: Json = { id: 'greet', type: 'set', config: { n: 1 } };

async function create(
  by: User,
  name: string,
  fields: JsonObject = {},
  steps: Json[] = [set],
  trigger: Json = { type: 'http' },
) {
  const reply = await by.request('POST', '/api/v1/workflows', { name, ...fields, dsl: { id: 'flow', trigger, steps } });
  expect([reply.status, reply.body.error]).toEqual([201, undefined]);
  return String(reply.body.id);
}

const list = async (by: User, query = ''): Promise<Reply> => by.request('GET', `/api/v1/workflows${query}`);
const names = async (by: User, query: string): Promise<string[]> =>
  ((await list(by, query)).body.data as JsonObject[]).map(({ name }) => String(name));

it('finds workflows by text, tag, folder, state, trigger and environment', async () => {
  const user = await site.user();
  await create(user, 'Order intake', { tags: ['orders', 'eu'], folder: 'Sales/Orders', env: 'production' });
  await create(user, 'Bills', { folder: 'Salesforce', description: 'Pays them' }, [
    {
      id: 'each',
      type: 'foreach',
      config: { items: [1] },
      steps: [{ id: 'charge', type: 'http_request', config: { url: 'https://x.example' } }],
    },
  ]);
  const nightly = await create(user, 'Nightly', { tags: ['eu'] }, [set], {
    type: 'schedule',
    config: { cron: '0 3 * * *' },
  });
  await user.request('PUT', `/api/v1/workflows/${nightly}/disable`);
  for (const [query, expected] of [
    ['q=ORDER', ['Order intake']],
    ['q=pays', ['Bills']],
    ['q=charge', ['Bills']],
    ['q=http_req', ['Bills']],
    ['q=.*', []],
    ['tag=eu', ['Nightly', 'Order intake']],
    ['folder=Sales', ['Order intake']],
    ['folder=Sales/Orders', ['Order intake']],
    ['folder=', ['Nightly']],
    ['enabled=false', ['Nightly']],
    ['status=pending_approval', []],
    ['trigger=schedule', ['Nightly']],
    ['env=production', ['Order intake']],
    ['tag=eu&trigger=http', ['Order intake']],
    ['sort=name', ['Bills', 'Nightly', 'Order intake']],
  ] as const)
    expect([query, await names(user, `?${query}`)]).toEqual([query, expected]);
});

it('pages by cursor in every order, without a gap and without a repeat', async () => {
  const user = await site.user();
  for (let n = 0; n < 7; n += 1) await create(user, `W${n % 3}`, {});
  for (const sort of ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at']) {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(user, `?limit=3&sort=${sort}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...(body.data as JsonObject[]).map(({ id }) => String(id)));
      cursor = String(body.next_cursor ?? '');
    } while (cursor !== '');
    expect([sort, seen.length, new Set(seen).size]).toEqual([sort, 7, 7]);
    const all = (await list(user, `?sort=${sort}`)).body.data as JsonObject[];
    expect([sort, all.map(({ id }) => id)]).toEqual([sort, seen]);
  }
  const { body } = await list(user, '?limit=1&sort=name');
  expect((await list(user, `?sort=-name&cursor=${String(body.next_cursor)}`)).status).toBe(400);
  expect((await list(user, '?cursor=nonsense')).status).toBe(400);
});

it('shows the last ten runs, the success rate and the next start', async () => {
  const good = await create(ann, 'Good');
  const bad = await create(ann, 'Bad', {}, [{ id: 'no', type: 'fail', config: { message: 'no' } }]);
  const daily = await create(ann, 'Daily', {}, [set], { type: 'schedule', config: { every: '24h' } });
  for (let n = 0; n < 12; n += 1) await ann.run(good);
  await ann.run(bad);
  const rows = (await list(ann)).body.data as JsonObject[];
  const rowOf = (id: string): JsonObject => rows.find((row) => row.id === id) as JsonObject;
  expect(rowOf(good)).toMatchObject({ success_rate: 1, next_start: null, triggers: ['http'] });
  const runs = rowOf(good).recent_runs as JsonObject[];
  expect(runs).toHaveLength(10);
  expect(runs[0]).toMatchObject({ status: 'completed', trigger_type: 'manual', duration_ms: expect.any(Number) });
  expect(String(runs[0]?.started_at) >= String(runs[9]?.started_at)).toBe(true);
  expect(rowOf(bad)).toMatchObject({ success_rate: 0, recent_runs: [{ status: 'failed' }] });
  expect(rowOf(daily)).toMatchObject({ success_rate: null, recent_runs: [], next_start: expect.any(String) });
});

it('keeps tags and folder through updates, files and copies, and bounds them', async () => {
  const id = await create(ann, 'Kept', { tags: ['a'], folder: 'F' });
  const changed = await ann.request('PUT', `/api/v1/workflows/${id}`, { tags: ['a', 'b'], folder: 'F/G' });
  expect(changed.body).toMatchObject({ tags: ['a', 'b'], folder: 'F/G', version: 1 });
  const file = (await ann.request('GET', `/api/v1/workflows/${id}/export`)).body;
  expect(file.workflow).toMatchObject({ tags: ['a', 'b'], folder: 'F/G' });
  for (const copy of [
    await ann.request('POST', '/api/v1/workflows/import', file),
    await ann.request('POST', `/api/v1/workflows/${id}/duplicate`, {}),
  ])
    expect(copy.body).toMatchObject({ tags: ['a', 'b'], folder: 'F/G' });
  const refused: JsonObject[] = [
    { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) },
    { tags: ['x'.repeat(51)] },
    { tags: [''] },
    { tags: ['a', 'a'] },
    { folder: '/a' },
    { folder: 'a//b' },
    { folder: 'x'.repeat(201) },
  ];
  for (const fields of refused)
    expect([fields, (await ann.request('PUT', `/api/v1/workflows/${id}`, fields)).status]).toEqual([fields, 400]);
});
