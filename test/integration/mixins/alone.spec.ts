import { SERVICE_NAMES } from '../../../lib/config';
import { openTestDatabase, startApp, type TestDatabase } from '../../support/app';
import { servicesNamed } from '../../support/services';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

test.each(SERVICE_NAMES)('%s starts where no other service is', async (name) => {
  const app = await startApp({ database, services: [servicesNamed(name)] });
  expect(app.broker.registry.hasService(name, app.broker.nodeID)).toBe(true);
  await app.close();
});
