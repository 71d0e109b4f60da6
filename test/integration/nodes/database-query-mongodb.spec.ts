import { connect, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { type Document, Long } from 'bson';
import type { Json, JsonObject } from '../../../lib/json';
import { databaseQueryNode } from '../../../nodes/storage/database-query';
import { openTestDatabase, type TestDatabase } from '../../support/app';
import { selfSigned } from '../../support/certificate';
import { freePort } from '../../support/server';
import { type HelloServer, startHelloServer } from './hello-server';
import { attempt, failureOf, outputOf, type World } from './outside';

const certificate = selfSigned('DNS:db.test');
// Where openssl is missing no certificate can be had; `selfSigned` says so.
const withCertificate = certificate === null ? test.skip : test;

const step = (connection: JsonObject | string, more: JsonObject): JsonObject => ({
  driver: 'mongodb',
  connection,
  ...more,
});

describe('a database of MongoDB', () => {
  let server: TestDatabase;
  let url: string;

  beforeAll(async () => {
    server = await openTestDatabase({ tcp: true });
    const given = new URL(server.url);
    given.pathname = `/${server.name}`;
    given.search = '?authSource=admin';
    url = given.href;
  });
  afterAll(() => server.close());
  beforeEach(() => ask({ operation: 'delete', filter: {}, many: true }));

  const ask = (input: JsonObject, world?: World) =>
    outputOf(databaseQueryNode, step(url, { collection: 'items', ...input }), world);
  const fail = (input: JsonObject, world?: World) =>
    failureOf(databaseQueryNode, step(url, { collection: 'items', ...input }), world);
  const insert = (...documents: JsonObject[]) => ask({ operation: 'insert', documents });

  test('documents are put in, found, changed and deleted', async () => {
    expect(await insert({ _id: 1, n: 1 }, { _id: 2, n: 2 }, { _id: 3, n: 3 })).toEqual({
      rows: [],
      count: 0,
      affected: 3,
      truncated: false,
      ids: [1, 2, 3],
    });
    expect(
      await ask({ operation: 'find', filter: { n: { $gt: 1 } }, sort: { n: -1 }, projection: { _id: 0 }, skip: 0 }),
    ).toEqual({ rows: [{ n: 3 }, { n: 2 }], count: 2, affected: null, truncated: false });
    expect(await ask({ operation: 'update', filter: { n: 2 }, update: { $inc: { n: 10 } } })).toMatchObject({
      affected: 1,
    });
    expect(await ask({ operation: 'update', filter: {}, update: { $set: { x: 1 } }, many: true })).toMatchObject({
      affected: 3,
    });
    expect(await ask({ operation: 'update', filter: {}, update: [{ $set: { y: '$n' } }] })).toMatchObject({
      affected: 1,
    });
    expect(
      await ask({ operation: 'update', filter: { _id: 9 }, update: { $set: { x: 1 } }, upsert: true }),
    ).toMatchObject({ affected: 1, ids: [9] });
    expect((await ask({ operation: 'count', filter: { x: 1 } })).rows).toEqual([{ count: 4 }]);
    expect((await ask({ operation: 'distinct', field: 'x' })).rows).toEqual([{ value: 1 }]);
    const pipeline = [{ $group: { _id: null, sum: { $sum: '$n' } } }];
    expect((await ask({ operation: 'aggregate', pipeline })).rows).toEqual([{ _id: null, sum: 16 }]);
    expect(await ask({ operation: 'delete', filter: { x: 1 } })).toMatchObject({ affected: 1 });
    expect(await ask({ operation: 'delete', filter: {}, many: true })).toMatchObject({ affected: 3 });
  });

  test.each<[Json, Json]>([
    ['x', 'x'],
    [1.5, 1.5],
    [null, null],
    [
      [1, { a: null }],
      [1, { a: null }],
    ],
    [{ $oid: '656565656565656565656565' }, '656565656565656565656565'],
    [{ $date: '2026-01-02T03:04:05.678Z' }, '2026-01-02T03:04:05.678Z'],
    [{ $numberLong: '9007199254740993' }, '9007199254740993'],
    [{ $numberLong: '7' }, 7],
    [{ $numberDecimal: '12345678901234567890.12345' }, '12345678901234567890.12345'],
    [{ $numberDouble: 'NaN' }, 'NaN'],
    [{ $binary: { base64: '3q2+7w==', subType: '00' } }, '3q2+7w=='],
    [{ $uuid: '6c0f3a0e-0000-4000-8000-000000000000' }, '6c0f3a0e-0000-4000-8000-000000000000'],
    [{ $regularExpression: { pattern: '^a', options: 'i' } }, '/^a/i'],
  ])('%j is kept, and comes as %j', async (value, plain) => {
    await insert({ _id: 1, value });
    expect((await ask({ operation: 'find' })).rows).toEqual([{ _id: 1, value: plain }]);
    expect((await ask({ operation: 'count', filter: { value: { $eq: value } } })).rows).toEqual([{ count: 1 }]);
  });

  test('no more documents are fetched than are wanted', async () => {
    await insert(...Array.from({ length: 20 }, (_, n) => ({ _id: n })));
    expect(await ask({ operation: 'find', max_rows: 10 })).toMatchObject({ count: 10, truncated: true });
    expect(await ask({ operation: 'find', max_rows: 20 })).toMatchObject({ count: 20, truncated: false });
    const pipeline = [{ $match: {} }];
    expect(await ask({ operation: 'aggregate', pipeline, max_rows: 5 })).toMatchObject({ count: 5, truncated: true });
  });

  test('a document that is there twice is refused by its name', async () => {
    await insert({ _id: 1 });
    const failure = await failureOf(
      databaseQueryNode,
      step(url, { collection: 'items', operation: 'insert', documents: [{ _id: 1 }] }),
    );
    expect(failure).toMatchObject({ code: 'database_duplicate', retryable: false });
    expect(failure.message).toContain('11000');
  });

  test('what the server refuses is final', async () => {
    expect(await fail({ operation: 'find', filter: { $nonsense: 1 } })).toMatchObject({
      code: 'database_query',
      retryable: false,
    });
    expect(await fail({ operation: 'update', filter: {}, update: { n: 1 } })).toMatchObject({ retryable: false });
  });

  test('what only reads refuses to change', async () => {
    const changes: JsonObject[] = [
      { operation: 'insert', documents: [{}] },
      { operation: 'aggregate', pipeline: [{ $out: 'x' }] },
      { operation: 'delete', filter: {} },
    ];
    for (const input of changes) {
      expect(await fail({ ...input, read_only: true })).toMatchObject({ code: 'invalid_config', retryable: false });
    }
  });

  describe('the connection', () => {
    const find = { operation: 'find', collection: 'items' };
    const refusal = (connection: string | JsonObject, world?: World) =>
      failureOf(databaseQueryNode, step(connection, find), world);

    test('may be given in parts', async () => {
      const { hostname, port, username, password } = new URL(url);
      const parts = {
        host: hostname,
        port: Number(port),
        user: username,
        password,
        auth_source: 'admin',
        sslmode: 'disable',
      };
      const input = step(parts, { ...find, database: server.name });
      expect(await outputOf(databaseQueryNode, input)).toMatchObject({ rows: [] });
      expect(await failureOf(databaseQueryNode, step(parts, find))).toMatchObject({ code: 'invalid_config' });
    });

    test('is refused where it must not lead', async () => {
      expect(await refusal(url, { allow: '' })).toMatchObject({ code: 'database_blocked', retryable: false });
    });

    test('with a wrong password fails without showing it', async () => {
      const wrong = new URL(url);
      wrong.password = 'open%2Dsesame';
      const failure = await refusal(wrong.href);
      expect(failure).toMatchObject({ code: 'database_login', retryable: false });
      expect(failure.message).not.toMatch(/open.*sesame/);
    });

    withCertificate('is by TLS, verified, where the URL says so', async () => {
      const inner = new URL(url);
      const front = createSecureServer({ ...certificate }, (socket) => {
        const behind = connect(Number(inner.port), inner.hostname);
        for (const side of [socket, behind]) side.on('error', () => behind.destroy());
        socket.pipe(behind).pipe(socket);
      });
      front.on('tlsClientError', () => {});
      const port = await freePort();
      await new Promise<void>((resolve) => front.listen(port, '127.0.0.1', resolve));
      const through = (host: string, settings = ''): string =>
        `mongodb://${inner.username}:${inner.password}@${host}:${port}/x?authSource=admin&tls=true${settings}`;
      const ca = certificate?.cert ?? '';
      const findBy = (connection: JsonObject | string) => attempt(databaseQueryNode, step(connection, find));
      const refused = { error: { code: 'database_protocol' }, retryable: false };
      expect(await findBy({ url: through('db.test'), ca })).toMatchObject({ kind: 'done' });
      expect(await findBy({ url: through('other.test'), ca })).toMatchObject(refused);
      expect(await findBy({ url: through('other.test', '&tlsAllowInvalidHostnames=true'), ca })).toMatchObject({
        kind: 'done',
      });
      expect(await findBy(through('db.test'))).toMatchObject(refused);
      expect(await findBy(through('db.test', '&tlsInsecure=true'))).toMatchObject({ kind: 'done' });
      await new Promise((resolve) => front.close(resolve));
    });

    test('to a closed port may be tried again', async () => {
      expect(await refusal(`mongodb://127.0.0.1:${await freePort()}/x`)).toMatchObject({
        code: 'database_connect',
        retryable: true,
      });
    });
  });
});

describe('a deployment of several hosts', () => {
  const open: HelloServer[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });

  const HELLO = { ok: 1, maxWireVersion: 25, minWireVersion: 0, maxBsonObjectSize: 16_777_216, setName: 'rs' };

  async function member(
    hello: Document,
    rest: (command: Document) => Document = () => ({ ok: 1 }),
  ): Promise<HelloServer> {
    const server = await startHelloServer((command) => ('hello' in command ? { ...HELLO, ...hello } : rest(command)));
    open.push(server);
    return server;
  }

  const primary = (port: () => number): Promise<HelloServer> =>
    member({ isWritablePrimary: true, ismaster: true, hosts: [] }, (command) =>
      'aggregate' in command
        ? { ok: 1, cursor: { id: Long.ZERO, ns: 'x.items', firstBatch: [{ count: port() }] } }
        : { ok: 1 },
    );
  const secondary = (leader: string, more: Document = {}): Promise<HelloServer> =>
    member({ isWritablePrimary: false, secondary: true, primary: leader, hosts: [leader], ...more });

  const count = (hosts: string): JsonObject =>
    step(`mongodb://${hosts}/x?replicaSet=rs`, { operation: 'count', collection: 'items', timeout: '5s' });

  test('is asked at the one that takes writes, which any of them names', async () => {
    const first: HelloServer = await primary(() => first.port);
    const other = await secondary(`127.0.0.1:${first.port}`);
    const output = await outputOf(databaseQueryNode, count(`127.0.0.1:${other.port}`));
    expect(output.rows).toEqual([{ count: first.port }]);
  });

  test('is asked at the next when one is down', async () => {
    const first: HelloServer = await primary(() => first.port);
    const output = await outputOf(databaseQueryNode, count(`127.0.0.1:${await freePort()},127.0.0.1:${first.port}`));
    expect(output.rows).toEqual([{ count: first.port }]);
  });

  test('cannot send us where we must not go', async () => {
    const secret: HelloServer = await primary(() => secret.port);
    for (const leader of [`127.0.0.2:${secret.port}`, `localhost:${secret.port}`, `2130706433:${secret.port}`]) {
      const other = await secondary(leader, { me: leader, passives: [leader] });
      const failure = await failureOf(databaseQueryNode, count(`127.0.0.1:${other.port}`), { allow: '127.0.0.1' });
      expect(failure.code).toMatch(/^database_(?:blocked|protocol|dns)$/);
    }
    expect(secret.asked).toEqual([]);
  });

  test('that names each other without end is given up', async () => {
    const one: HelloServer = await secondary('x');
    const failure = await failureOf(databaseQueryNode, count(`127.0.0.1:${one.port}`));
    expect(failure).toMatchObject({ retryable: true });
    const two = await secondary(`127.0.0.1:${one.port}`);
    expect(await failureOf(databaseQueryNode, count(`127.0.0.1:${two.port}`))).toMatchObject({ retryable: true });
  });

  test.each<[string, Document]>([
    ['batches of nothing', { maxWriteBatchSize: 0 }],
    ['batches of less than nothing', { maxWriteBatchSize: -1, maxBsonObjectSize: -1, maxMessageSizeBytes: -1 }],
    ['documents of no size', { maxBsonObjectSize: 0, maxMessageSizeBytes: 0 }],
    [
      'values of other types',
      { maxWriteBatchSize: 'x', maxBsonObjectSize: {}, setName: 7, hosts: 'x', topologyVersion: 1 },
    ],
  ])('that takes %s ends nothing but the step', async (_what, more) => {
    const odd = await member({ isWritablePrimary: true, ...more }, (command) =>
      'insert' in command ? { ok: 1, n: 2 } : { ok: 1 },
    );
    const insert = { operation: 'insert', collection: 'a', documents: [{ a: 1 }, { a: 2 }], timeout: '1s' };
    const outcome = await attempt(databaseQueryNode, step(`mongodb://127.0.0.1:${odd.port}/x`, insert));
    expect(['done', 'fail']).toContain(outcome.kind);
  });

  test('that asks for a hundred million rounds of hashing is left', async () => {
    const slow = await member({ isWritablePrimary: true, saslSupportedMechs: ['SCRAM-SHA-256'] }, (command) => {
      const nonce = /r=([^,]+)/.exec(String(command.payload))?.[1] ?? '';
      return { ok: 1, conversationId: 1, done: false, payload: Buffer.from(`r=${nonce}x,s=c2FsdA==,i=100000000`) };
    });
    const find = { operation: 'find', collection: 'a', timeout: '5s' };
    const began = performance.now();
    const failure = await failureOf(databaseQueryNode, step(`mongodb://ada:sesame@127.0.0.1:${slow.port}/x`, find));
    expect(failure).toMatchObject({ code: 'database_protocol', retryable: false });
    expect(slow.asked).toContain('saslStart');
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  test('a change that was on its way when the connection broke is left open; a question is not', async () => {
    const dying = async (): Promise<string> => {
      const server = await member({ isWritablePrimary: true }, (command) => {
        if ('hello' in command) return HELLO;
        void server.close();
        return { ok: 1 };
      });
      return `mongodb://127.0.0.1:${server.port}/x`;
    };
    const insert = { operation: 'insert', collection: 'a', documents: [{}], timeout: '3s' };
    expect(await failureOf(databaseQueryNode, step(await dying(), insert))).toMatchObject({
      code: 'database_unknown',
      retryable: false,
    });
    const find = { operation: 'find', collection: 'a', timeout: '3s' };
    expect(await failureOf(databaseQueryNode, step(await dying(), find))).toMatchObject({
      code: 'database_connect',
      retryable: true,
    });
  });
});

describe('a server that is none of MongoDB', () => {
  const int = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    values.forEach((value, index) => bytes.writeInt32LE(value, index * 4));
    return bytes;
  };

  test.each([
    ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a message of no length', int(0, 1, 1, 2013)],
    ['a message of less than no length', int(-1, 1, 1, 2013)],
    ['a message longer than any', int(0x7fffffff, 1, 1, 2013)],
    ['a document that is none', Buffer.concat([int(40, 1, 1, 1), Buffer.alloc(24, 255)])],
    ['an answer to something else', Buffer.concat([int(16, 1, 999, 2013)])],
    [
      'a packed message that cannot be unpacked',
      Buffer.concat([int(30, 1, 1, 2012, 2013, 0x7fffffff), Buffer.alloc(6, 2)]),
    ],
  ])('that sends %s fails the step, and nothing else', async (_what, answer) => {
    const peers = new Set<Socket>();
    const server = createServer((socket) => {
      peers.add(socket);
      socket.on('error', () => {});
      socket.on('data', () => socket.write(answer));
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const input = step(`mongodb://127.0.0.1:${port}/x`, { operation: 'find', collection: 'a', timeout: '1s' });
    const failure = await failureOf(databaseQueryNode, input);
    expect(failure.code).toMatch(/^database_(?:protocol|connect|timeout|query)$/);
    for (const peer of peers) peer.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

test('a server that says nothing is given up when the time is over, and at an abort within a second', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const input = step(`mongodb://127.0.0.1:${port}/x`, { operation: 'find', collection: 'a', timeout: '150ms' });
  expect(await failureOf(databaseQueryNode, input)).toMatchObject({ code: 'database_timeout', retryable: true });
  const stop = new AbortController();
  const waits = attempt(databaseQueryNode, { ...input, timeout: '10s' }, { signal: stop.signal });
  server.once('connection', () => stop.abort());
  expect(await waits).toMatchObject({ error: { code: 'database_aborted' } });
  await new Promise((resolve) => server.close(resolve));
});
