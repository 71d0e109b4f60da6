import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { JsonObject } from '../../../lib/json';
import { databaseQueryNode } from '../../../nodes/storage/database-query';
import { selfSigned } from '../../support/certificate';
import { type Daemon, describeWith } from '../../support/daemons';
import { ADA, startOwnMariadb } from '../../support/databases';
import { until } from '../../support/until';
import { attempt, failureOf, outputOf, type World } from './outside';

const certificate = selfSigned('DNS:db.test');
const CA = certificate?.cert ?? '';
// Where openssl is missing no certificate can be had; `selfSigned` says so.
const withTls = certificate === null ? test.skip : test;

const step = (connection: JsonObject | string, query: string, more: JsonObject = {}): JsonObject => ({
  driver: 'mysql',
  connection,
  query,
  ...more,
});

describeWith('mariadb', { own: true })('MariaDB', () => {
  let server: Daemon;
  let plain: JsonObject;

  beforeAll(async () => {
    server = (await startOwnMariadb(certificate)) as Daemon;
    plain = { host: 'db.test', port: server.port, ...ADA, sslmode: 'disable' };
    await until('it serves', async () => (await attempt(databaseQueryNode, step(plain, 'select 1'))).kind === 'done');
    await ask(
      'create table items (id bigint unsigned primary key auto_increment, name varchar(255) unique) engine=innodb',
    );
  }, 90_000);
  afterAll(() => server?.stop());
  beforeEach(() => ask('truncate items'));

  const ask = (query: string, more?: JsonObject, world?: World) =>
    outputOf(databaseQueryNode, step(plain, query, more), world);
  const fail = (query: string, more?: JsonObject, world?: World) =>
    failureOf(databaseQueryNode, step(plain, query, more), world);
  const count = async (): Promise<unknown> => (await ask('select cast(count(*) as char) as n from items')).rows;

  test('rows come with the names of their columns', async () => {
    expect(await ask('select ? as a, 2 as `__proto__`, 3 as `ä b`', { params: ['x'] })).toEqual({
      rows: [JSON.parse('{"a":"x","__proto__":2,"ä b":3}')],
      count: 1,
      affected: null,
      truncated: false,
    });
  });

  test.each([
    ["'x'", 'x'],
    ['null', null],
    ['true', 1],
    ['cast(1 as signed)', 1],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551615', '18446744073709551615'],
    ['12345678901234567890.12345', '12345678901234567890.12345'],
    ['1.5e0', 1.5],
    ["x'deadbeef'", '3q2+7w=='],
    ["date '2026-01-02'", '2026-01-02'],
    ["timestamp '2026-01-02 03:04:05'", '2026-01-02T03:04:05'],
    ["cast('2026-01-02 03:04:05.678901' as datetime(6))", '2026-01-02T03:04:05.678901'],
    ["time '103:04:05'", '103:04:05'],
    ['json_array(1, null)', [1, null]],
  ])('%s is %j', async (sql, value) => {
    expect((await ask(`select ${sql} as v`)).rows).toEqual([{ v: value }]);
  });

  test('parameters are values, whatever they look like', async () => {
    const hostile = "x'; drop table items; -- \\";
    await ask('insert into items (name) values (?)', { params: [hostile] });
    expect((await ask('select name from items where name = ?', { params: [hostile] })).rows).toEqual([
      { name: hostile },
    ]);
    const { rows } = await ask('select json_extract(?, ?) as o, ? as n, ? as b', {
      params: [{ a: 'x' }, '$.a', null, true],
    });
    expect(rows).toMatchObject([{ o: 'x', n: null }]);
  });

  test('changes say how many rows they changed, and the id that was made', async () => {
    expect(await ask("insert into items (name) values ('a'), ('b')")).toEqual({
      rows: [],
      count: 0,
      affected: 2,
      truncated: false,
      ids: [1],
    });
    expect(await ask("update items set name = concat(name, 'x')")).toMatchObject({ affected: 2 });
    expect(await ask('delete from items where id = 1 returning name')).toMatchObject({ rows: [{ name: 'ax' }] });
  });

  test('no more rows are kept than are wanted', async () => {
    const many = 'select seq from seq_1_to_100000';
    expect(await ask(many, { max_rows: 10 })).toMatchObject({ count: 10, truncated: true });
    expect(await ask('select seq from seq_1_to_1000000000', { max_rows: 10, read_only: true })).toMatchObject({
      truncated: true,
    });
    expect(await ask('select seq from seq_1_to_5', { max_rows: 5 })).toMatchObject({ count: 5, truncated: false });
  });

  test('what is left of too many, or too long, rows need not come', async () => {
    const long = "select repeat('x', 1000000) as v from seq_1_to_1000";
    expect(await ask(long)).toMatchObject({ count: 8, truncated: true });
    await ask('set global max_allowed_packet = 1073741824');
    expect(await fail("select repeat('x', 60000000) as v", { read_only: true })).toMatchObject({
      code: 'database_too_large',
      retryable: false,
    });
  });

  test.each(["insert into items (name) values ('x')", 'create table more (id int)', 'drop table items'])(
    'that only reads refuses %s',
    async (query) => {
      expect(await fail(query, { read_only: true })).toMatchObject({ code: 'database_query', retryable: false });
      expect(await count()).toEqual([{ n: '0' }]);
    },
  );

  test.each([
    ['select * from nothing', 'database_query', "nothing' doesn't exist (1146)"],
    ['selec 1', 'database_query', 'error in your SQL syntax'],
    ["select 1; insert into items (name) values ('x')", 'database_query', 'error in your SQL syntax'],
    ["insert into items (name) values ('x'), ('x')", 'database_duplicate', "Duplicate entry 'x'"],
    ["load data local infile '/etc/passwd' into table items (name)", 'database_query', ''],
    ['select ? as a', 'database_query', ''],
  ])('%s fails with %s', async (query, code, message) => {
    const failure = await fail(query);
    expect(failure).toMatchObject({ code, retryable: false });
    expect(failure.message).toContain(message);
    expect(await count()).toEqual([{ n: '0' }]);
  });

  test('a statement that takes too long is ended by the server', async () => {
    const tables = ['a', 'b', 'c', 'd'].map((name) => `information_schema.columns ${name}`).join(', ');
    const failure = await fail(`select count(*) from ${tables}`, { timeout: '400ms', read_only: true });
    expect(failure).toMatchObject({ code: 'database_timeout', retryable: true });
    const running =
      "select id from information_schema.processlist where info like 'select count(*) from information_schema.columns%' and id <> connection_id()";
    await until('it is gone', async () => ((await ask(running)).rows as unknown[]).length === 0);
  });

  test('an abort settles within a second; whether a change was made is unknown', async () => {
    const stop = new AbortController();
    const slow = attempt(databaseQueryNode, step(plain, 'insert into items (name) select sleep(20)'), {
      signal: stop.signal,
    });
    const running = "select id from information_schema.processlist where info like 'insert into items%'";
    await until('it runs', async () => ((await ask(running)).rows as unknown[]).length === 1);
    const began = performance.now();
    stop.abort();
    expect(await slow).toMatchObject({ kind: 'fail', error: { code: 'database_unknown' }, retryable: false });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  describe('the connection', () => {
    const url = (settings: string, password = 'sesame', host = 'db.test'): string =>
      `mysql://ada:${password}@${host}:${server.port}/ada${settings}`;
    const one = "show session status like 'Ssl_cipher'";
    const cipherOf = async (connection: JsonObject | string): Promise<unknown> => {
      const { rows } = await outputOf(databaseQueryNode, step(connection, one));
      return (rows as { Value: string }[])[0]?.Value !== '';
    };
    const refusal = (connection: JsonObject | string, world?: World) =>
      failureOf(databaseQueryNode, step(connection, one), world);

    withTls('is by TLS, verified, unless it says otherwise', async () => {
      expect(await cipherOf({ url: url(''), ca: CA })).toBe(true);
      expect(await cipherOf({ url: url('?ssl-mode=VERIFY_CA', undefined, 'other.test'), ca: CA })).toBe(true);
      expect(await cipherOf(url('?ssl-mode=REQUIRED'))).toBe(true);
      expect(await cipherOf(url('?sslmode=disable'))).toBe(false);
      expect(await refusal(url(''))).toMatchObject({ code: 'database_protocol', retryable: false });
      expect(await refusal({ url: url('', undefined, 'other.test'), ca: CA })).toMatchObject({
        code: 'database_protocol',
      });
    });

    withTls('may bring in so much, and no more, also by TLS', async () => {
      const long = "select repeat('x', 60000000) as v";
      await ask('set global max_allowed_packet = 1073741824');
      const connection = { url: url(''), ca: CA };
      const failure = await failureOf(databaseQueryNode, step(connection, long, { read_only: true }));
      expect(failure).toMatchObject({ code: 'database_too_large', retryable: false });
    });

    test('is refused where it must not lead', async () => {
      expect(await refusal(url('?sslmode=disable'), { allow: '' })).toMatchObject({ code: 'database_blocked' });
    });

    test('with a wrong password fails without showing it', async () => {
      const failure = await refusal(url('?sslmode=disable', 'open%2Dsesame'));
      expect(failure).toMatchObject({ code: 'database_login', retryable: false });
      expect(failure.message).not.toMatch(/open.*sesame/);
    });

    test.each([
      'postgres://ada:sesame@db.test/ada',
      'mysql://db.test/ada',
      'mysql://ada:sesame@db.test/ada?socketPath=/tmp/x',
    ])('%s is refused, and not repeated', async (text) => {
      const failure = await refusal(text);
      expect(failure).toMatchObject({ code: 'invalid_config', retryable: false });
      expect(failure.message).not.toContain('sesame');
    });

    test('that breaks in the middle of a change leaves it open, and of a question does not', async () => {
      const broken = async (query: string, more: JsonObject): Promise<unknown> => {
        const waits = attempt(databaseQueryNode, step(plain, query, more));
        await until('it runs', async () => {
          const { rows } = await ask(
            "select id from information_schema.processlist where info like '%sleep(19)%' and id <> connection_id()",
          );
          const id = (rows as { id: string }[])[0]?.id;
          return id !== undefined && ask(`kill connection ${Number(id)}`);
        });
        return waits;
      };
      expect(await broken('insert into items (name) select sleep(19)', {})).toMatchObject({
        error: { code: 'database_unknown' },
        retryable: false,
      });
      expect(await broken('select sleep(19)', { read_only: true })).toMatchObject({ retryable: true });
    });
  });
});

describe('a server that is none of MySQL', () => {
  const closing: (() => Promise<unknown>)[] = [];
  // The client complains of some of this on the console.
  beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => {}));
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const close of closing.splice(0)) await close();
  });

  const fail = (port: number, more: JsonObject = {}) =>
    failureOf(
      databaseQueryNode,
      step({ host: 'db.test', port, user: 'ada', sslmode: 'disable' }, 'select 1', { timeout: '2s', ...more }),
    );

  async function saying(first: Buffer, later: Buffer[] = []): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      const left = [...later];
      socket.on('error', () => {});
      socket.on('data', () => {
        const answer = left.shift();
        if (answer === undefined) socket.end();
        else socket.write(answer);
      });
      if (first.length > 0) socket.write(first);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  const packet = (sequence: number, body: Buffer | string): Buffer => {
    const bytes = Buffer.from(body as string, 'latin1');
    return Buffer.concat([
      Buffer.from([bytes.length & 255, (bytes.length >> 8) & 255, bytes.length >> 16, sequence]),
      bytes,
    ]);
  };
  const greeting = packet(
    0,
    `\n8.0.0\0\u0001\0\0\0abcdefgh\0\u00ff\u00f7\u0021\u0002\0\u00ff\u00c1\u0015${'\0'.repeat(10)}abcdefghijkl\0mysql_native_password\0`,
  );
  const ok = '\0\0\0\u0002\0\0\0';

  test.each([
    ['another protocol', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), []],
    ['a greeting that is cut off', packet(0, '\n8.0'), []],
    ['numbers out of order', greeting, [packet(9, ok)]],
    ['an unknown way to log in', greeting, [packet(2, '\u00fenone\0abc')]],
    ['a demand for the password in the open', greeting, [packet(2, '\u00femysql_clear_password\0')]],
    ['a demand for a file', greeting, [packet(2, ok), packet(1, '\u00fb/etc/passwd')]],
    ['more columns than it tells of', greeting, [packet(2, ok), packet(1, '\u00fa')]],
    ['an answer that is cut off', greeting, [packet(2, ok), packet(1, '\u0002')]],
  ])('that sends %s fails the step, and nothing else', async (_what, first, later) => {
    const port = await saying(first, later);
    const failure = await fail(port, { read_only: true });
    expect(failure.code).toMatch(/^database_(?:protocol|connect|timeout|query|login)$/);
    expect(failure.message).not.toContain('/etc/passwd');
  });

  test('that says nothing is given up when the time is over', async () => {
    expect(await fail(await saying(Buffer.alloc(0)), { timeout: '80ms' })).toMatchObject({
      code: 'database_timeout',
      retryable: true,
    });
  });

  test('that offers no TLS is refused', async () => {
    const port = await saying(greeting);
    const failure = await failureOf(
      databaseQueryNode,
      step({ host: 'db.test', port, user: 'ada' }, 'select 1', { timeout: '2s' }),
    );
    expect(failure).toMatchObject({ code: 'database_protocol', retryable: false });
    expect(failure.message).toContain('sslmode=disable');
  });
});
