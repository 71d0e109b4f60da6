import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { openTestDatabase, type TestDatabase } from '../../support/app';
import { type Actor, done, failed } from '../../support/connectors/act';

describe('MongoDB by a connection', () => {
  let server: TestDatabase;
  let ada: Actor;

  beforeAll(async () => {
    server = await openTestDatabase({ tcp: true });
    const given = new URL(server.url);
    given.pathname = `/${server.name}`;
    given.search = '?authSource=admin';
    ada = { connector: connectorsByName.get('mongodb') as Connector, credentials: { url: given.href } };
  });
  afterAll(() => server.close());

  test('documents are put in, found, changed, counted and deleted', async () => {
    const collection = 'items';
    await done(ada, 'insert', {
      collection,
      documents: [
        { _id: 'a', n: 1 },
        { _id: 'b', n: 2 },
      ],
    });
    expect(await done(ada, 'find', { collection, filter: { n: { $gt: 1 } } })).toMatchObject({ rows: [{ _id: 'b' }] });
    await done(ada, 'update', { collection, filter: { _id: 'a' }, update: { $set: { n: 3 } } });
    expect(await done(ada, 'aggregate', { collection, pipeline: [{ $match: { n: 3 } }] })).toMatchObject({ count: 1 });
    expect((await done(ada, 'distinct', { collection, field: 'n' })).count).toBe(2);
    await done(ada, 'delete', { collection, filter: {}, many: true });
    expect((await done(ada, 'count', { collection })).rows).toEqual([{ count: 0 }]);
  });

  test('what only asks cannot write by a stage', async () => {
    const failure = await failed(ada, 'aggregate', { collection: 'items', pipeline: [{ $out: 'sly' }] });
    expect(failure).toMatchObject({ code: 'invalid_config' });
  });
});
