import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { type Actor, done, failed } from '../../support/connectors/act';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';

describeWith('redis', { own: true })('Redis by a connection', () => {
  let server: Daemon;
  let ada: Actor;

  beforeAll(async () => {
    server = (await startOwnRedis()) as Daemon;
    const credentials = { host: 'cache.test', port: String(server.port), tls: 'false', database: '0' };
    ada = { connector: connectorsByName.get('redis') as Connector, credentials };
  });
  afterAll(() => server?.stop());

  test.each<[string, object, unknown]>([
    ['set', { key: 'a', value: { n: 1 }, expires_in: 100 }, 'OK'],
    ['get', { key: 'a' }, '{"n":1}'],
    ['get', { key: 'nothing' }, null],
    ['increment', { key: 'n', by: 3 }, 3],
    ['increment', { key: 'n' }, 4],
    ['hash_set', { key: 'h', field: 'state', value: 'paid' }, 1],
    ['hash_get', { key: 'h' }, { state: 'paid' }],
    ['push', { key: 'l', values: ['x', 'y'] }, 2],
    ['pop', { key: 'l' }, 'x'],
    ['delete', { keys: ['a', 'n', 'nothing'] }, 2],
    ['command', { command: 'ZADD', args: ['z', 1, 'ada'] }, 1],
  ])('%s %j gives %j', async (name, input, result) => {
    expect(await done(ada, name, input as never)).toEqual({ result });
  });

  test('commands that change the server are not taken', async () => {
    expect(await failed(ada, 'command', { command: 'FLUSHALL' })).toMatchObject({ code: 'invalid_config' });
  });
});
