import type { Json, JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

it('a retry from a step in an item of a loop runs that item again, and no other', async () => {
  const each: Json = {
    id: 'each',
    type: 'foreach',
    config: { items: [0, 1, 2, 3] },
    steps: [
      { id: 'get', type: 'set', config: { n: '{{ loop.item }}' } },
      { id: 'charge', type: 'set', config: { at: '{{ now() }}' } },
    ],
  };
  const { id } = await ann.run(await ann.workflow([each, { id: 'last', type: 'set', config: { done: true } }]));
  const retry = (from_step: string) => ann.request('POST', `/api/v1/executions/${id}/retry`, { from_step });
  const started = await retry('each[2]/charge');
  expect(started.status).toBe(202);
  await ann.ended(String(started.body.id));
  const at = async (run: string): Promise<unknown[]> => {
    const [loop] = await ann.steps(run, '?path=each&loops=collapsed');
    return (((loop?.output as JsonObject | undefined)?.results as JsonObject[] | undefined) ?? []).map(
      (result) => result.at,
    );
  };
  const [before, after] = [await at(id), await at(String(started.body.id))];
  expect(after.map((value, index) => value === before[index])).toEqual([true, true, false, true]);
  expect((await retry('each/steps[3]/charge')).status).toBe(202);
  expect(await retry('each[9]/charge')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(await retry('each[2]/other')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});
