import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { JsonObject } from '../../../lib/json';
import { databaseQueryNode } from '../../../nodes/storage/database-query';
import { selfSigned } from '../../support/certificate';
import { describeWith, type Daemon } from '../../support/daemons';
import { ADA, startOwnPostgres } from '../../support/databases';
import { until } from '../../support/until';
import { attempt, failureOf, outputOf, type World } from './outside';

const certificate = selfSigned('DNS:db.test');
const CA = certificate?.cert ?? '';
// Where openssl is missing no certificate can be had; `selfSigned` says so.
const withTls = certificate === null ? test.skip : test;

/** What the tests write as a statement, with its parameters and whatever else the step says. */
const step = (connection: JsonObject | string, query: string, more: JsonObject = {}): JsonObject => ({
  driver: 'postgres',
  connection,
  query,
  ...more,
});

describeWith('postgres', { own: true })('PostgreSQL', () => {
  let server: Daemon;
  let plain: JsonObject;

  beforeAll(async () => {
    server = (await startOwnPostgres(certificate)) as Daemon;
    plain = { host: 'db.test', port: server.port, ...ADA, sslmode: 'disable' };
    await until('it serves', async () => (await attempt(databaseQueryNode, step(plain, 'select 1'))).kind === 'done');
    await ask('create table items (id int primary key, name text)');
  }, 60_000);
  afterAll(() => server?.stop());
  beforeEach(() => ask('truncate items'));

  const ask = (query: string, more?: JsonObject, world?: World) =>
    outputOf(databaseQueryNode, step(plain, query, more), world);
  const fail = (query: string, more?: JsonObject, world?: World) =>
    failureOf(databaseQueryNode, step(plain, query, more), world);
  const count = async (): Promise<unknown> => (await ask('select count(*)::int as n from items')).rows;

  test('rows come with the names of their columns', async () => {
    expect(await ask('select 1 as a, $1::text as b', { params: ['x'] })).toEqual({
      rows: [{ a: 1, b: 'x' }],
      count: 1,
      affected: null,
      truncated: false,
    });
  });

  test.each([
    ["'x'", 'x'],
    ['null', null],
    ['true', true],
    ['2147483647', 2_147_483_647],
    ['9007199254740993::bigint', '9007199254740993'],
    ['12345678901234567890.12345::numeric', '12345678901234567890.12345'],
    ['1.5::float8', 1.5],
    ["'NaN'::float8", 'NaN'],
    ["'-Infinity'::float4", '-Infinity'],
    ["'\\xdeadbeef'::bytea", '3q2+7w=='],
    ["date '2026-01-02'", '2026-01-02'],
    ["timestamp '2026-01-02 03:04:05.678901'", '2026-01-02T03:04:05.678901'],
    ["timestamptz '2026-01-02 03:04:05+00'", '2026-01-02T08:34:05+05:30'],
    ["(timestamptz '2026-01-02 03:04:05+00') at time zone 'UTC'", '2026-01-02T03:04:05'],
    ["'infinity'::timestamptz", 'infinity'],
    ["time '03:04:05'", '03:04:05'],
    ["interval '1 day 2 hours'", '1 day 02:00:00'],
    ["'6c0f3a0e-0000-4000-8000-000000000000'::uuid", '6c0f3a0e-0000-4000-8000-000000000000'],
    ['\'{"a": [1, null]}\'::jsonb', { a: [1, null] }],
    ["'[1]'::json", [1]],
    ['array[1, null, 3]', [1, null, 3]],
    ['array[9007199254740993::bigint]', ['9007199254740993']],
    ["array['a,b', 'c\"d']", ['a,b', 'c"d']],
    [
      'array[[1,2],[3,4]]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['array[\'{"a":1}\'::jsonb]', [{ a: 1 }]],
    ['array[]::int[]', []],
    ["point '(1,2)'", '(1,2)'],
  ])('%s is %j', async (sql, value) => {
    expect((await ask(`select ${sql} as v`)).rows).toEqual([{ v: value }]);
  });

  test('a column may be called anything', async () => {
    const { rows } = await ask('select 1 as "__proto__", 2 as "constructor", 4 as "ä b"');
    expect(Object.entries((rows as JsonObject[])[0] ?? {})).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
      ['ä b', 4],
    ]);
  });

  test('parameters are values, whatever they look like', async () => {
    const hostile = "x'; drop table items; --";
    await ask('insert into items values ($1, $2)', { params: [1, hostile] });
    expect((await ask('select name from items where name = $1', { params: [hostile] })).rows).toEqual([
      { name: hostile },
    ]);
    const { rows } = await ask('select $1::jsonb as o, $2::int[] as l, $3::bool as b, $4::text as n', {
      params: [{ a: 'x' }, [1, 2], false, null],
    });
    expect(rows).toEqual([{ o: { a: 'x' }, l: [1, 2], b: false, n: null }]);
  });

  test('changes say how many rows they changed, and may return them', async () => {
    expect(await ask('insert into items select g, g from generate_series(1, 3) g')).toMatchObject({
      rows: [],
      affected: 3,
    });
    expect(await ask("update items set name = 'x' where id > 1 returning id")).toEqual({
      rows: [{ id: 2 }, { id: 3 }],
      count: 2,
      affected: 2,
      truncated: false,
    });
    expect(await ask('delete from items')).toMatchObject({ affected: 3 });
  });

  test('no more rows are fetched than are wanted', async () => {
    const many = 'select generate_series(1, 1000000000) as g';
    const output = await ask(many, { max_rows: 1_234 });
    expect(output).toMatchObject({ count: 1_234, truncated: true, affected: null });
    expect(await ask('select g from generate_series(1, 5) g', { max_rows: 5 })).toMatchObject({
      count: 5,
      truncated: false,
    });
    const wide = await ask("select repeat('x', 1000000) as v from generate_series(1, 100)", {});
    expect(wide).toMatchObject({ count: 8, truncated: true });
  });

  test('a row that is larger than a connection may bring in fails', async () => {
    expect(await fail("select repeat('x', 100000000) as v")).toMatchObject({
      code: 'database_too_large',
      retryable: false,
    });
  });

  test('an insert is whole, though its rows are not all wanted', async () => {
    const all = 'insert into items select g, g from generate_series(1, 500) g returning id';
    expect(await ask(all, { max_rows: 2 })).toMatchObject({ count: 2, truncated: true });
    expect(await count()).toEqual([{ n: 500 }]);
  });

  describe('that only reads', () => {
    const read = { read_only: true };

    test.each([
      "insert into items values (1, 'x')",
      'create table more (id int)',
      "do $$ begin execute 'set transaction read write'; insert into items values (1, 'x'); end $$",
      "with put as (insert into items values (1, 'x') returning id) select * from put",
    ])('refuses %s', async (query) => {
      expect(await fail(query, read)).toMatchObject({ code: 'database_query', retryable: false });
      expect(await count()).toEqual([{ n: 0 }]);
    });

    test('answers questions', async () => {
      expect(await ask('select 1 as one', read)).toMatchObject({ rows: [{ one: 1 }] });
    });
  });

  test('one statement, and not two', async () => {
    expect(await fail("select 1; insert into items values (1, 'x')")).toMatchObject({ code: 'database_query' });
    expect(await count()).toEqual([{ n: 0 }]);
  });

  test.each([
    ['insert into nothing values (1)', 'database_query', false, 'relation "nothing" does not exist (42P01)'],
    ['selec 1', 'database_query', false, 'syntax error'],
    ["insert into items values (1, 'x'), (1, 'y')", 'database_duplicate', false, '(23505)'],
    ["do $$ begin raise exception 'again' using errcode = '40001'; end $$", 'database_busy', true, 'again (40001)'],
    ["do $$ begin raise exception 'full' using errcode = '53100'; end $$", 'database_busy', true, 'full'],
    ['copy items from stdin', 'database_query', false, 'COPY FROM STDIN'],
  ])('%s fails with %s', async (query, code, retryable, message) => {
    const failure = await fail(query);
    expect(failure).toMatchObject({ code, retryable });
    expect(failure.message).toContain(message);
  });

  test('what sends a file, and what sends nothing, is harmless', async () => {
    await ask("insert into items values (1, 'x')");
    expect(await ask('copy items to stdout')).toMatchObject({ rows: [], affected: 1 });
    expect(await ask('')).toMatchObject({ rows: [] });
  });

  test('a statement that takes too long is ended by the server, and undone', async () => {
    const slow = "with put as (insert into items values (1, 'x')) select pg_sleep(30)";
    const failure = await fail(slow, { timeout: '300ms' });
    expect(failure.code).toBe('database_timeout');
    expect(failure.retryable).toBe(true);
    expect(await count()).toEqual([{ n: 0 }]);
  });

  test('an aborted statement ends at the server too', async () => {
    const stop = new AbortController();
    const running = async (): Promise<number> =>
      (
        (await ask("select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep(59)%'")).rows as {
          n: number;
        }[]
      )[0]?.n ?? -1;
    const slow = attempt(databaseQueryNode, step(plain, 'select pg_sleep(59)'), { signal: stop.signal });
    await until('it runs', async () => (await running()) === 1);
    const began = performance.now();
    stop.abort();
    expect(await slow).toMatchObject({ kind: 'fail', error: { code: 'database_aborted' } });
    expect(performance.now() - began).toBeLessThan(1_000);
    await until('it is gone', async () => (await running()) === 0);
  });

  test('no connection is left', async () => {
    await fail('selec 1');
    await until('all are gone', async () => {
      const { rows } = await ask("select count(*)::int as n from pg_stat_activity where application_name = 'everstep'");
      return (rows as { n: number }[])[0]?.n === 1;
    });
  });

  describe('the connection', () => {
    const url = (settings: string, password = 'sesame', host = 'db.test'): string =>
      `postgres://ada:${password}@${host}:${server.port}/ada${settings}`;
    const one = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    const sslOf = async (connection: JsonObject | string): Promise<unknown> =>
      (await outputOf(databaseQueryNode, step(connection, one))).rows;
    const refusal = (connection: JsonObject | string, world?: World) =>
      failureOf(databaseQueryNode, step(connection, one), world);

    withTls('is by TLS, verified, unless it says otherwise', async () => {
      expect(await sslOf({ url: url(''), ca: CA })).toEqual([{ ssl: true }]);
      expect(await sslOf({ url: url('?sslmode=verify-ca', undefined, 'other.test'), ca: CA })).toEqual([{ ssl: true }]);
      expect(await sslOf(url('?sslmode=require'))).toEqual([{ ssl: true }]);
      expect(await sslOf(url('?sslmode=disable'))).toEqual([{ ssl: false }]);
      expect(await refusal(url(''))).toMatchObject({ code: 'database_protocol', retryable: false });
      expect(await refusal({ url: url('', undefined, 'other.test'), ca: CA })).toMatchObject({
        code: 'database_protocol',
      });
    });

    test('is refused where it must not lead', async () => {
      expect(await refusal(url('?sslmode=disable'), { allow: '' })).toMatchObject({
        code: 'database_blocked',
        retryable: false,
      });
    });

    test.each([
      ['?sslmode=disable', 'open-sesame'],
      ['?sslmode=disable', 'open%2Dsesame'],
    ])('with a wrong password fails without showing it: %s', async (settings, password) => {
      const failure = await refusal(url(settings, password));
      expect(failure).toMatchObject({ code: 'database_login', retryable: false });
      expect(failure.message).not.toMatch(/open.*sesame/);
    });

    test.each([
      'mysql://ada:sesame@db.test/ada',
      'postgres://db.test/ada',
      'postgres://ada:sesame@/ada',
      'db.test',
      'postgres://ada:sesame@db.test/ada?sslrootcert=/etc/passwd',
      'postgres://ada:sesame@db.test/ada?host=/var/run/postgresql',
      'postgres://ada:sesame@db.test/ada?sslmode=prefer',
      'postgres://ada:ses%ame@db.test/ada',
    ])('%s is refused, and not repeated', async (text) => {
      const failure = await refusal(text);
      expect(failure).toMatchObject({ code: 'invalid_config', retryable: false });
      expect(failure.message).toContain('"connection":');
      expect(failure.message).not.toContain('ses');
    });

    test('takes nothing from the environment of the process', async () => {
      process.env.PGPASSWORD = ADA.password;
      try {
        const silent = { host: 'db.test', port: server.port, user: 'ada', sslmode: 'disable' };
        expect(await refusal(silent)).toMatchObject({ code: 'database_login' });
      } finally {
        delete process.env.PGPASSWORD;
      }
    });

    test('that breaks in the middle leaves nothing done, and may be tried again', async () => {
      const waits = attempt(
        databaseQueryNode,
        step(plain, "with put as (insert into items values (9, 'x')) select pg_sleep(58)"),
      );
      await until('it runs', async () => {
        const { rows } = await ask(
          "select pid from pg_stat_activity where query like '%pg_sleep(58)%' and pid <> pg_backend_pid()",
        );
        const pid = (rows as { pid: number }[])[0]?.pid;
        return pid !== undefined && ask('select pg_terminate_backend($1)', { params: [pid] });
      });
      expect(await waits).toMatchObject({ kind: 'fail', error: { code: 'database_connect' }, retryable: true });
      expect(await count()).toEqual([{ n: 0 }]);
    });
  });
});

describe('a server that is none of PostgreSQL', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Answers what it receives, chunk by chunk, with these; then does `last`. */
  async function hostile(answers: Buffer[], last: (socket: Socket) => void = () => {}): Promise<JsonObject> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      const left = [...answers];
      socket.on('error', () => {});
      socket.on('data', () => {
        const answer = left.shift();
        if (answer === undefined) last(socket);
        else socket.write(answer);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return { host: 'db.test', port: (server.address() as AddressInfo).port, user: 'ada', sslmode: 'disable' };
  }

  const message = (type: string, ...parts: (number | string)[]): Buffer => {
    const body = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : int(part))),
    );
    return Buffer.concat([Buffer.from(type), int(body.length + 4), body]);
  };
  const int = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  /** One column, a, of lists of numbers. */
  const COLUMN = '\0\u0001a\0\0\0\0\0\0\0\0\0\u0003\u00ef\0\u0004\0\0\0\0\0\0';
  const ready = Buffer.concat([message('R', 0), message('Z', 'I')]);
  const begun = Buffer.concat([message('C', 'BEGIN\0'), message('Z', 'T')]);
  const fail = (connection: JsonObject, more: JsonObject = {}) =>
    failureOf(databaseQueryNode, step(connection, 'select 1', { timeout: '2s', ...more }));

  test.each([
    ['rows before it says what is in them', [ready, begun, message('D', '\0\u0001', 1, 'x')]],
    [
      'a row with more values than bytes',
      [ready, begun, Buffer.concat([message('T', '\0\0'), message('D', '\u007f\u007f')])],
    ],
    ['a message without end', [ready, begun, Buffer.concat([Buffer.from('D'), int(-1), Buffer.alloc(64)])]],
    ['an error without its end', [ready, begun, message('E', 'SERROR')]],
    [
      'a value of less than no length',
      [ready, begun, Buffer.concat([message('T', COLUMN), message('D', '\u0000\u0001', -2, 'x')])],
    ],
    [
      'a list that is none',
      [ready, begun, Buffer.concat([message('T', COLUMN), message('D', '\u0000\u0001', 2, '{1')])],
    ],
    ['an unknown message', [message('\u0001', 1, 2, 3)]],
    ['a demand for a file, out of turn', [Buffer.concat([ready, message('G', '\0\0\0')])]],
    ['an end, out of turn', [Buffer.concat([ready, message('C', 'X\0'), message('s'), message('1'), message('n')])]],
    ['a login in a way that is none', [message('R', 10, 'NONE\0\0')]],
    [
      'a hundred million rounds of hashing',
      [message('R', 10, 'SCRAM-SHA-256\0\0'), message('R', 11, 'r=x,s=eA==,i=100000000')],
    ],
    ['another protocol', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
  ])('that sends %s fails the step, and nothing else', async (_what, answers) => {
    const connection = await hostile(answers, (socket) => socket.end());
    expect((await fail(connection)).code).toMatch(/^database_(?:protocol|connect|timeout|query|login|too_large)$/);
  });

  test('that says nothing is given up when the time is over', async () => {
    expect(await fail(await hostile([]), { timeout: '80ms' })).toMatchObject({
      code: 'database_timeout',
      retryable: true,
    });
  });

  test('that offers no TLS, or more than an answer to the question for it, is refused', async () => {
    const verified = { sslmode: 'verify-full' };
    const none = await fail({ ...(await hostile([Buffer.from('N')])), ...verified });
    expect(none).toMatchObject({ code: 'database_protocol', retryable: false });
    expect(none.message).toContain('sslmode=disable');
    const stuffed = await fail({ ...(await hostile([Buffer.concat([Buffer.from('S'), ready])])), ...verified });
    expect(stuffed).toMatchObject({ code: 'database_protocol', retryable: false });
  });

  test('that goes while the change is being made final leaves it open', async () => {
    const done = Buffer.concat([
      message('1'),
      message('2'),
      message('n'),
      message('C', 'INSERT 0 1\0'),
      message('Z', 'T'),
    ]);
    const connection = await hostile([ready, begun, done, Buffer.alloc(0)], (socket) => socket.destroy());
    const failure = await fail(connection);
    expect(failure).toMatchObject({ code: 'database_unknown', retryable: false });
  });
});
