import { once } from 'node:events';
import { connect } from 'node:net';
import { ClientPools } from '../../../lib/client-pool';
import { createDialer, parseEgressAllow } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import { databaseQueryNode } from '../../../nodes/storage/database-query';
import { redisNode } from '../../../nodes/storage/redis';
import { openTestDatabase } from '../../support/app';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { ADA, startOwnMariadb, startOwnPostgres } from '../../support/databases';
import { until } from '../../support/until';
import { attempt, failureOf, outputOf, type World } from './outside';

let pools: ClientPools;
beforeEach(() => {
  pools = new ClientPools();
});
afterEach(() => pools.close());

/** A step of a tenant whose connections are kept. */
const world = (tenant = 't', more: World = {}): World => ({
  ...more,
  means: {
    net: {
      ...createDialer({ allow: parseEgressAllow('127.0.0.1'), resolver: async () => ['127.0.0.1'] }),
      clients: pools.of(tenant),
    },
  },
});
const idle = (count = 1): Promise<unknown> => until(`${count} are idle`, () => pools.count().idle === count);

type Sql = (query: string, more?: JsonObject) => Promise<Json>;

function sql(driver: 'postgres' | 'mysql', port: () => number) {
  const input = (query: string, more: JsonObject = {}): JsonObject => ({
    driver,
    connection: { host: 'db.test', port: port(), ...ADA, sslmode: 'disable' },
    query,
    ...more,
  });
  const rows: Sql = async (query, more) => {
    const output = await outputOf(databaseQueryNode, input(query, more), world());
    await idle();
    return output.rows ?? null;
  };
  return { input, rows };
}

describeWith('postgres', { own: true })('connections to PostgreSQL', () => {
  let server: Daemon;
  const { input, rows } = sql('postgres', () => server.port);
  const pid: Sql = () => rows('select pg_backend_pid() as id');

  beforeAll(async () => {
    server = (await startOwnPostgres()) as Daemon;
    await until('it serves', async () => (await attempt(databaseQueryNode, input('select 1'))).kind === 'done');
  }, 60_000);
  afterAll(() => server?.stop());

  test.each([
    ['a setting', "set work_mem = '77MB'", 'show work_mem'],
    ['a role', 'set role pg_monitor', 'select current_user as u'],
    ['a temporary table', 'create temporary table kept as select 1 as a', "select to_regclass('kept') as t"],
    [
      'a lock',
      'select pg_advisory_lock(7) is null as l',
      "select count(*) as n from pg_locks where locktype = 'advisory'",
    ],
    ['a subscription', 'listen news', 'select count(*) as n from pg_listening_channels()'],
    ['a prepared statement', 'prepare kept as select 1', 'select count(*) as n from pg_prepared_statements'],
    ['a transaction', 'rollback', 'select pg_current_xact_id_if_assigned() as x'],
  ])('are used again, and %s of the step before is gone', async (_what, leave, look) => {
    const before = await rows(look);
    const first = await pid('');
    await rows(leave);
    expect(await rows(look)).toEqual(before);
    expect(await pid('')).toEqual(first);
  });

  test('are replaced when the server has ended them', async () => {
    const first = await pid('');
    const ended =
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = $1';
    await outputOf(databaseQueryNode, input(ended, { params: [ADA.user] }));
    expect(await pid('')).not.toEqual(first);
  });

  test('do not outlive a wrong password', async () => {
    await pid('');
    const wrong = { connection: { host: 'db.test', port: server.port, ...ADA, password: 'open', sslmode: 'disable' } };
    const failure = await failureOf(databaseQueryNode, { ...input('select 1'), ...wrong }, world());
    expect(failure).toMatchObject({ code: 'database_login' });
    expect(pools.count()).toEqual({ idle: 0, open: 0 });
  });

  test('of one step that waits hold up no other', async () => {
    const slow = attempt(databaseQueryNode, input('select pg_sleep(30)', { timeout: '600ms' }), world());
    expect(await outputOf(databaseQueryNode, input('select 1 as a'), world())).toMatchObject({ rows: [{ a: 1 }] });
    expect(await slow).toMatchObject({ kind: 'fail', error: { code: 'database_timeout' } });
    await idle();
    expect(pools.count().open).toBe(1);
  });

  test('bring in as much for each step as a connection may', async () => {
    const wide = "select repeat('x', 1000000) as v from generate_series(1, 7)";
    for (let n = 0; n < 8; n += 1) await rows(wide);
    expect(pools.count()).toEqual({ idle: 1, open: 1 });
  });
});

describeWith('mariadb', { own: true })('connections to MariaDB', () => {
  let server: Daemon;
  const { input, rows } = sql('mysql', () => server.port);
  const id: Sql = () => rows('select connection_id() as id');

  beforeAll(async () => {
    server = (await startOwnMariadb()) as Daemon;
    await until('it serves', async () => (await attempt(databaseQueryNode, input('select 1'))).kind === 'done');
  }, 90_000);
  afterAll(() => server?.stop());

  test.each([
    ['a setting', 'set session sort_buffer_size = 77777', 'select @@sort_buffer_size as v'],
    ['a variable', 'set @kept = 1', 'select @kept as v'],
    ['a temporary table', 'create temporary table kept (a int)', 'show create table kept'],
    ['a lock', "select get_lock('kept', 0) as l", "select is_used_lock('kept') as v"],
    ['a transaction', 'start transaction', 'select @@in_transaction as v'],
    ['another character set', 'set names latin1', "select 'grüße' as v, @@character_set_client as c"],
    ['another database', 'use mysql', 'select database() as v'],
  ])('are used again, and %s of the step before is gone', async (_what, leave, look) => {
    const seen = async (): Promise<unknown> => {
      const outcome = await attempt(databaseQueryNode, input(look), world());
      await until('all are idle', () => pools.count().idle === pools.count().open);
      return outcome.kind === 'done' ? outcome.output.rows : 'refused';
    };
    const first = await id('');
    const before = await seen();
    if (before !== 'refused') expect(await id('')).toEqual(first);
    // Not all of these can be prepared.
    await attempt(databaseQueryNode, input(leave), world());
    await until('all are idle', () => pools.count().idle === pools.count().open);
    expect(await seen()).toEqual(before);
  });

  test('are not used again while rows are left', async () => {
    const first = await id('');
    const many = 'select seq from seq_1_to_100000000';
    expect(await outputOf(databaseQueryNode, input(many, { max_rows: 3 }), world())).toMatchObject({ truncated: true });
    await until('it is closed', () => pools.count().open === 0);
    expect(await id('')).not.toEqual(first);
  });

  test('are replaced when the server has ended them', async () => {
    const first = (await id('')) as { id: string | number }[];
    await outputOf(databaseQueryNode, input(`kill connection ${Number(first[0]?.id)}`));
    expect(await id('')).not.toEqual(first);
  });
});

describeWith('redis', { own: true })('connections to Redis', () => {
  let server: Daemon;
  beforeAll(async () => {
    server = (await startOwnRedis()) as Daemon;
  });
  afterAll(() => server?.stop());

  const ask = async (command: string, ...args: Json[]): Promise<Json> => {
    const connection = { host: 'cache.test', port: server.port };
    const { result } = await outputOf(redisNode, { connection, command, args }, world());
    await idle();
    return result ?? null;
  };

  test('are used again, and replaced before a change when the server has ended them', async () => {
    expect(await ask('INCR', 'n')).toBe(1);
    expect(await ask('INCR', 'n')).toBe(2);
    expect(pools.count().open).toBe(1);
    const admin = connect(server.port, '127.0.0.1');
    admin.write('CLIENT KILL TYPE normal SKIPME yes\r\n');
    await once(admin, 'data');
    admin.destroy();
    expect(await ask('INCR', 'n')).toBe(3);
  });
});

test('connections to MongoDB are used again', async () => {
  const server = await openTestDatabase({ tcp: true });
  try {
    const url = new URL(server.url);
    url.pathname = `/${server.name}`;
    url.search = '?authSource=admin';
    const find = { driver: 'mongodb', connection: url.href, operation: 'count', collection: 'items' };
    for (let n = 0; n < 3; n += 1) {
      expect(await outputOf(databaseQueryNode, find, world())).toMatchObject({ rows: [{ count: 0 }] });
      await idle();
    }
    expect(pools.count()).toEqual({ idle: 1, open: 1 });
  } finally {
    pools.close();
    await server.close();
  }
});
