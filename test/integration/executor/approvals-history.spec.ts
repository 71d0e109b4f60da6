import type { JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const get = async (user: User, path: string): Promise<JsonObject> => {
  const { status, body } = await user.request('GET', `/api/v1/approvals/${path}`);
  expect(status).toBe(200);
  return body;
};
const ask = (message: string, approvers: string[] = []) =>
  ann.workflow([{ id: 'ask', type: 'approval', config: { message, ...(approvers.length > 0 && { approvers }) } }]);
const decide = (id: string, data: JsonObject) =>
  ann.request('POST', `/api/v1/executions/${id}/signal`, { signal: 'approve-ask', data });

it('counts approvals that wait, and lists decided ones by cursor with who, when and why', async () => {
  const shipping = await ask('Ship it?');
  const [one, two] = [await ann.start(shipping), await ann.start(shipping)];
  const other = await ann.start(await ask('Pay?', ['someone@example.com']));
  for (const id of [one, two, other]) await ann.waiting(id);
  expect(await get(ann, 'count')).toEqual({ mine: 2, all: 3, more: false });
  expect(await get(ann, 'history')).toMatchObject({ data: [], next_cursor: null });

  await decide(one, { approved: true, comment: 'Looks good' });
  await ann.ended(one);
  const link = await ann.request('GET', `/api/v1/executions/${two}/approve/ask?decision=reject`);
  expect(link.status).toBe(200);
  await ann.ended(two);
  expect((await decide(two, { approved: true })).status).toBe(409);

  const { data } = await get(ann, 'history');
  expect(data).toMatchObject([
    { execution_id: two, approved: false, comment: null, message: 'Ship it?' },
    { execution_id: one, approved: true, comment: 'Looks good', address: 'ask', workflow_name: 'Flow' },
  ]);
  expect((data as JsonObject[])[1]?.by).toMatch(/@example.com$/);
  const first = await get(ann, 'history?limit=1');
  expect(first.data).toHaveLength(1);
  expect(await get(ann, `history?limit=1&cursor=${String(first.next_cursor)}`)).toMatchObject({
    data: [{ execution_id: one }],
    next_cursor: null,
  });
  expect((await get(ann, 'history?mine=true')).data).toContainEqual(expect.objectContaining({ execution_id: one }));
  expect((await ann.request('GET', '/api/v1/approvals/history?cursor=x')).status).toBe(400);
  expect(await get(ann, 'count')).toEqual({ mine: 0, all: 1, more: false });

  const bob = await site.user();
  expect(await get(bob, 'history')).toMatchObject({ data: [] });
  expect(await get(bob, 'count')).toEqual({ mine: 0, all: 0, more: false });

  await ann.request('DELETE', `/api/v1/workflows/${shipping}`);
  expect(await get(ann, 'history')).toMatchObject({ data: [] });
});
