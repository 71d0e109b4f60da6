import type { Json, JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const rows = async (path = '/api/v1/executions'): Promise<JsonObject[]> =>
  (await ann.request('GET', path)).body.data as JsonObject[];
const rowOf = async (id: string, path?: string): Promise<JsonObject | undefined> =>
  (await rows(path)).find((row) => row.id === id);

it('shows in a row why a run failed, and cuts a long message', async () => {
  const workflow = await ann.workflow([{ id: 'bad', type: 'fail', config: { message: 'x'.repeat(900) } }]);
  const { id, error } = await ann.run(workflow);
  const row = await rowOf(id);
  expect(row).toMatchObject({ workflow_name: 'Flow', status: 'failed', waiting: [], tokens: 0, cost_usd: 0 });
  expect(row?.error).toMatchObject({ code: error?.code, step_id: 'bad' });
  expect((row?.error as JsonObject | undefined)?.message).toHaveLength(500);
  expect(error?.message.length).toBeGreaterThan(500);
  expect(typeof row?.duration_ms).toBe('number');
});

it('shows what a run waits for, without the question and its form, and at most five waits', async () => {
  const ask = (n: number): Json => ({ id: `ask${n}`, type: 'approval', config: { message: 'Ship?', timeout: '2h' } });
  const branches = Array.from({ length: 7 }, (_, n): Json => ({ id: `b${n}`, steps: [ask(n)] }));
  const workflow = await ann.workflow([{ id: 'all', type: 'parallel', branches }]);
  const id = await ann.start(workflow);
  expect((await ann.waiting(id)).waiting).toHaveLength(7);
  for (const path of ['/api/v1/executions', '/api/v1/executions/visibility?query=WaitingFor%3D%22approval%22']) {
    const waiting = (await rowOf(id, path))?.waiting as JsonObject[];
    expect(waiting).toHaveLength(5);
    expect(waiting[0]).toEqual({
      step_id: 'ask0',
      kind: 'approval',
      name: 'approve-ask0',
      since: expect.any(String),
      until: expect.any(String),
    });
  }
  await ann.request('POST', `/api/v1/executions/${id}/cancel`);
});

it('links a retry with the run that it repeats', async () => {
  const workflow = await ann.workflow([{ id: 'bad', type: 'fail', config: { message: 'no' } }]);
  const { id } = await ann.run(workflow);
  const { body } = await ann.request('POST', `/api/v1/executions/${id}/retry`, {});
  expect(await rowOf(String(body.id))).toMatchObject({ retry_of: id, parent: null });
});
