import { openTestDatabase, type TestDatabase } from '../../support/app';
import { type Proxy, startProxy } from '../../support/proxy';
import { until } from '../../support/until';
import { codeOf, type House, openHouse } from './house';

let database: TestDatabase;
let proxy: Proxy;
let house: House;

beforeAll(async () => {
  database = await openTestDatabase({ tcp: true });
  const url = new URL(database.url);
  proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  house = await openHouse({ database: { ...database, url: url.href } });
});

afterAll(async () => {
  proxy?.heal();
  await house?.close();
  await proxy?.close();
  await database?.close();
});

test('a database that stops answering is reported as such within seconds; accepted work goes on when it is back', async () => {
  const workflow = await house.workflow([
    { id: 'pause', type: 'wait', config: { for: '500ms' } },
    { id: 'after', type: 'set', config: { v: 1 } },
  ]);
  const accepted = await house.start(workflow);
  proxy.stall();
  const asked = performance.now();
  const refusals = await Promise.all([
    codeOf(house.get(accepted)),
    codeOf(house.start(workflow)),
    codeOf(house.sync(workflow)),
    codeOf(house.t.call('workflows.list', {}, house.ann)),
  ]);
  expect(refusals).toEqual(['unavailable', 'unavailable', 'unavailable', 'unavailable']);
  expect(performance.now() - asked).toBeLessThan(20_000);
  proxy.heal();
  const view = await until(
    'the accepted run has ended',
    async () => {
      const seen = await house.get(accepted).catch(() => null);
      return seen !== null && seen.status !== 'running' ? seen : null;
    },
    20_000,
  );
  expect(view).toMatchObject({ status: 'completed', output: { v: 1 } });
});
