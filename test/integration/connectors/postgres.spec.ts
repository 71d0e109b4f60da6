import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { act, type Actor, done, failed } from '../../support/connectors/act';
import { type Daemon, describeWith } from '../../support/daemons';
import { ADA, startOwnPostgres } from '../../support/databases';
import { until } from '../../support/until';

describeWith('postgres', { own: true })('PostgreSQL by a connection', () => {
  let server: Daemon;
  let ada: Actor;

  beforeAll(async () => {
    server = (await startOwnPostgres()) as Daemon;
    const credentials = { host: 'db.test', port: String(server.port), ...ADA, sslmode: 'disable' };
    ada = { connector: connectorsByName.get('postgres') as Connector, credentials };
    await until('it serves', async () => (await act(ada, 'query', { query: 'select 1' })).kind === 'done');
  }, 60_000);
  afterAll(() => server?.stop());

  test('changes are made, and asked for', async () => {
    await done(ada, 'execute', { query: 'create table items (id int primary key, name text)' });
    expect(
      await done(ada, 'execute', { query: 'insert into items values ($1, $2)', params: [7, 'pen'] }),
    ).toMatchObject({
      affected: 1,
    });
    expect(await done(ada, 'query', { query: 'select * from items' })).toMatchObject({
      rows: [{ id: 7, name: 'pen' }],
      count: 1,
    });
  });

  test('what only asks cannot change anything', async () => {
    const failure = await failed(ada, 'query', { query: 'create table sly (id int)' });
    expect(failure.message).toContain('read-only');
  });

  test('a wrong password is reported, and not shown', async () => {
    const wrong = { ...ada, credentials: { ...ada.credentials, password: 'open-sesame' } };
    const failure = await failed(wrong, 'query', { query: 'select 1' });
    expect(failure).toMatchObject({ code: 'database_login', retryable: false });
    expect(failure.message).not.toContain('open-sesame');
  });
});
