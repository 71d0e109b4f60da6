import type { HourFigures } from '../../../contracts/executions/views';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const activity = async (query = ''): Promise<HourFigures[]> =>
  (await ann.request('GET', `/api/v1/executions/activity${query}`)).body.hours as unknown as HourFigures[];

it('counts the runs of each hour by their status, and leaves out those of other tenants', async () => {
  const good = await ann.workflow([{ id: 'set', type: 'set', config: { a: 1 } }]);
  const bad = await ann.workflow([{ id: 'bad', type: 'fail', config: { message: 'no' } }]);
  const open = await ann.workflow([{ id: 'ask', type: 'approval', config: { message: 'Ship?' } }]);
  for (const workflow of [good, good, bad]) await ann.run(workflow);
  const id = await ann.start(open);
  await ann.waiting(id);
  const hours = await activity();
  expect(hours).toHaveLength(24);
  const sum = (key: keyof Omit<HourFigures, 'at'>): number => hours.reduce((total, hour) => total + hour[key], 0);
  expect([sum('total'), sum('completed'), sum('failed'), sum('running'), sum('cancelled')]).toEqual([4, 2, 1, 1, 0]);
  expect(hours.every(({ at }) => at.endsWith(':00:00.000Z'))).toBe(true);
  const bob = await site.user();
  const others = (await bob.request('GET', '/api/v1/executions/activity')).body.hours as unknown as HourFigures[];
  expect(others.map(({ total }) => total)).toEqual(Array.from({ length: 24 }, () => 0));
});

it('takes up to a week of hours', async () => {
  expect(await activity('?hours=3')).toHaveLength(3);
  expect((await ann.request('GET', '/api/v1/executions/activity?hours=169')).status).toBe(400);
});
