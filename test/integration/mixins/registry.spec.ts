import type { ActionSchema } from 'moleculer';
import { ACTIONS } from '../../../contracts/catalogue';
import { randomId } from '../../../lib/ids';
import { secretsService } from '../../../services/secrets/secrets.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';

let database: TestDatabase;
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  database = await openTestDatabase();
  const joined = { database, namespace: randomId(), transporter: 'Fake' };
  app = await startApp({ ...joined, services: [secretsService] });
  other = await startApp({ ...joined, services: [] });
});
afterAll(async () => {
  await other?.close();
  await app?.close();
  await database?.close();
});

const listed = ({ broker }: TestApp) => {
  const list = broker.registry.getActionList({}) as { name: string; action?: ActionSchema }[];
  return Object.fromEntries(list.map(({ name, action }) => [name, action]));
};

test('the registry shows the route and the params of every action of a service, as its contract has them', () => {
  const own = listed(app);
  const { rest, params } = ACTIONS['secrets.put'];
  expect(own['secrets.put']).toMatchObject({ rest, params });
  expect(own['secrets.reveal']).toMatchObject({ params: ACTIONS['secrets.reveal'].params });
});

test('another node gets the route and the params of each action', async () => {
  const { rest, params } = ACTIONS['secrets.put'];
  const received = await until('the other node knows the action', () => listed(other)['secrets.put']);
  expect(received).toMatchObject({ rest, params: JSON.parse(JSON.stringify(params)) as object });
});
