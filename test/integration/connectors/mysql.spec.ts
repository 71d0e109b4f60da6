import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { act, type Actor, done, failed } from '../../support/connectors/act';
import { type Daemon, describeWith } from '../../support/daemons';
import { ADA, startOwnMariadb } from '../../support/databases';
import { until } from '../../support/until';

describeWith('mariadb', { own: true })('MySQL by a connection', () => {
  let server: Daemon;
  let ada: Actor;

  beforeAll(async () => {
    server = (await startOwnMariadb()) as Daemon;
    const credentials = { host: 'db.test', port: String(server.port), ...ADA, sslmode: 'disable' };
    ada = { connector: connectorsByName.get('mysql') as Connector, credentials };
    await until('it serves', async () => (await act(ada, 'query', { query: 'select 1' })).kind === 'done');
  }, 90_000);
  afterAll(() => server?.stop());

  test('changes are made, and asked for; what only asks changes nothing', async () => {
    await done(ada, 'execute', { query: 'create table items (id int primary key, name text)' });
    await done(ada, 'execute', { query: 'insert into items values (?, ?)', params: [7, 'pen'] });
    expect(await done(ada, 'query', { query: 'select * from items' })).toMatchObject({
      rows: [{ id: 7, name: 'pen' }],
    });
    expect(await failed(ada, 'query', { query: 'delete from items' })).toMatchObject({ retryable: false });
    expect(await done(ada, 'query', { query: 'select count(*) as n from items' })).toMatchObject({
      rows: [{ n: '1' }],
    });
  });
});
