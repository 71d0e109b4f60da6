import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { Json, JsonObject } from '../../../lib/json';
import { redisNode } from '../../../nodes/storage/redis';
import { selfSigned } from '../../support/certificate';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { attempt, failureOf, outputOf, type World } from './outside';

const certificate = selfSigned('DNS:cache.test');
// Where openssl is missing no certificate can be had; `selfSigned` says so.
const withTls = certificate === null ? test.skip : test;

describeWith('redis', { own: true })('a server of Redis', () => {
  let server: Daemon;
  let connection: JsonObject;

  beforeAll(async () => {
    server = (await startOwnRedis()) as Daemon;
    connection = { host: 'cache.test', port: server.port };
  });
  afterAll(() => server?.stop());

  const ask = async (command: string, ...args: Json[]): Promise<Json> =>
    (await outputOf(redisNode, { connection, command, args })).result ?? null;
  const fail = (command: string, args: Json[], more: JsonObject = {}, world?: World) =>
    failureOf(redisNode, { connection, command, args, ...more }, world);

  test('values are set and read', async () => {
    expect(await ask('SET', 'a', 'grüße 🚀')).toBe('OK');
    expect(await ask('get', 'a')).toBe('grüße 🚀');
    expect(await ask('GET', 'nothing')).toBeNull();
    expect(await ask('SET', 'b', 1, 'EX', 60, 'NX')).toBe('OK');
    expect(await ask('SET', 'b', 2, 'NX')).toBeNull();
    expect(await ask('INCR', 'b')).toBe(2);
    expect(await ask('TTL', 'b')).toBeGreaterThan(50);
    expect(await ask('MGET', 'a', 'nothing', 'b')).toEqual(['grüße 🚀', null, '2']);
    expect(await ask('DEL', 'a', 'b', 'c')).toBe(2);
  });

  test('hashes, lists, sets, sorted sets and streams', async () => {
    await ask('HSET', 'h', 'name', 'Ada', '__proto__', 'x', 'order', { id: 4711 });
    expect(await ask('HGETALL', 'h')).toEqual(JSON.parse('{"name":"Ada","__proto__":"x","order":"{\\"id\\":4711}"}'));
    expect(await ask('HGETALL', 'nothing')).toEqual({});
    await ask('RPUSH', 'l', 'a', 'b', '', 'c');
    expect(await ask('LRANGE', 'l', 0, -1)).toEqual(['a', 'b', '', 'c']);
    await ask('SADD', 's', 'x');
    expect(await ask('SMEMBERS', 's')).toEqual(['x']);
    await ask('ZADD', 'z', 1.5, 'one');
    expect(await ask('ZRANGE', 'z', 0, -1, 'WITHSCORES')).toEqual(['one', '1.5']);
    const id = await ask('XADD', 'x', '*', 'k', 'v');
    expect(await ask('XRANGE', 'x', '-', '+')).toEqual([[id, ['k', 'v']]]);
    expect(await ask('SCAN', 0, 'MATCH', 'h*')).toEqual(['0', ['h']]);
  });

  test('arguments are values, whatever they look like', async () => {
    const hostile = 'x\r\n*1\r\n$8\r\nFLUSHALL\r\n';
    await ask('SET', hostile, hostile);
    expect(await ask('GET', hostile)).toBe(hostile);
  });

  test('bytes come in base64 on demand', async () => {
    await ask('SET', 'bytes', 'ü');
    expect(
      (await outputOf(redisNode, { connection, command: 'GETRANGE', args: ['bytes', 0, 0], binary: true })).result,
    ).toBe('ww==');
  });

  test('a database of its own', async () => {
    await ask('SET', 'where', 'zero');
    const two = { url: `redis://cache.test:${server.port}/2`, ca: '' };
    expect((await outputOf(redisNode, { connection: two, command: 'GET', args: ['where'] })).result).toBeNull();
    const wrong = `redis://cache.test:${server.port}/99`;
    expect(await failureOf(redisNode, { connection: wrong, command: 'GET', args: ['a'] })).toMatchObject({
      code: 'redis_command',
      retryable: false,
    });
  });

  test('what the server refuses is final', async () => {
    await ask('SET', 'text', 'x');
    const failure = await fail('LPUSH', ['text', 'y']);
    expect(failure).toMatchObject({ code: 'redis_command', retryable: false });
    expect(failure.message).toContain('WRONGTYPE');
    expect(await fail('GET', [])).toMatchObject({ code: 'redis_command' });
  });

  test('an answer of more than 8 MiB fails', async () => {
    await ask('SETRANGE', 'huge', 9_000_000, 'x');
    expect(await fail('GET', ['huge'])).toMatchObject({ code: 'redis_too_large', retryable: false });
    await ask('SETRANGE', 'huge', 40_000_000, 'x');
    expect(await fail('GET', ['huge'])).toMatchObject({ code: 'redis_too_large', retryable: false });
    await ask('DEL', 'huge');
  });

  test('a place where it must not go is blocked', async () => {
    expect(await fail('GET', ['a'], {}, { allow: '' })).toMatchObject({ code: 'redis_blocked', retryable: false });
  });

  withTls('TLS is verified', async () => {
    const front = createSecureServer({ ...certificate }, (socket) => {
      const behind = connect(server.port, '127.0.0.1');
      for (const side of [socket, behind]) side.on('error', () => behind.destroy());
      socket.pipe(behind).pipe(socket);
    });
    front.on('tlsClientError', () => {});
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const { port } = front.address() as AddressInfo;
    const ping = { command: 'PING' };
    const ca = certificate?.cert ?? '';
    expect(
      (await outputOf(redisNode, { connection: { url: `rediss://cache.test:${port}`, ca }, ...ping })).result,
    ).toBe('PONG');
    const refused = { code: 'redis_protocol', retryable: false };
    expect(
      await failureOf(redisNode, { connection: { url: `rediss://other.test:${port}`, ca }, ...ping }),
    ).toMatchObject(refused);
    expect(await failureOf(redisNode, { connection: { host: 'cache.test', port, tls: true }, ...ping })).toMatchObject(
      refused,
    );
    await new Promise((resolve) => front.close(resolve));
  });

  describe('with a password', () => {
    const redis = (password: string, user = ''): string => `redis://${user}:${password}@cache.test:${server.port}`;
    const asked = { command: 'GET', args: ['a'] };

    test('one that is wrong, missing, or not wanted fails without being shown', async () => {
      const unwanted = await failureOf(redisNode, { connection: redis('open-sesame'), ...asked });
      expect(unwanted).toMatchObject({ code: 'redis_login', retryable: false });
      const own = (await startOwnRedis()) as Daemon;
      try {
        const admin = connect(own.port, '127.0.0.1');
        admin.write('ACL SETUSER ada on >sesame ~* +@all\r\nCONFIG SET requirepass secret\r\n');
        await once(admin, 'data');
        admin.destroy();
        const at = (login: string): string => `redis://${login}127.0.0.1:${own.port}`;
        expect((await outputOf(redisNode, { connection: at('ada:sesame@'), command: 'PING' })).result).toBe('PONG');
        expect((await outputOf(redisNode, { connection: at(':secret@'), command: 'PING' })).result).toBe('PONG');
        expect(await failureOf(redisNode, { connection: at(''), ...asked })).toMatchObject({ code: 'redis_login' });
        const wrong = await failureOf(redisNode, { connection: at('ada:open-sesame@'), ...asked });
        expect(wrong).toMatchObject({ code: 'redis_login', retryable: false });
        expect(wrong.message).not.toContain('open-sesame');
      } finally {
        await own.stop();
      }
    });
  });
});

describe('a server that is none', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function saying(answer: string | null, then: (socket: Socket) => void = () => {}): Promise<JsonObject> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', () => {
        if (answer !== null) socket.write(answer);
        then(socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }

  const get = (connection: JsonObject, more: JsonObject = {}): JsonObject => ({
    connection,
    command: 'GET',
    args: ['a'],
    ...more,
  });

  test.each([
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    '*99999\r\n'.repeat(50),
    '$-7\r\n',
    '+a\r\n+b\r\n',
    '\u0000'.repeat(70_000),
  ])('that says %j fails the step, and nothing else', async (answer) => {
    expect(await failureOf(redisNode, get(await saying(answer)))).toMatchObject({
      code: 'redis_protocol',
      retryable: false,
    });
  });

  test.each(['LOADING Redis is loading', 'READONLY You cannot write', 'CLUSTERDOWN The cluster is down'])(
    'that says %s may be asked again',
    async (text) => {
      expect(await failureOf(redisNode, get(await saying(`-${text}\r\n`)))).toMatchObject({
        code: 'redis_busy',
        retryable: true,
      });
    },
  );

  test('that goes before it answers leaves a change open, and a question not', async () => {
    const leaving = await saying(null, (socket) => socket.destroy());
    expect(await failureOf(redisNode, get(leaving))).toMatchObject({ code: 'redis_connect', retryable: true });
    expect(await failureOf(redisNode, get(leaving, { command: 'INCR' }))).toMatchObject({
      code: 'redis_unknown',
      retryable: false,
    });
  });

  test('that says nothing is given up when the time is over, and at an abort within a second', async () => {
    const silent = await saying(null);
    expect(await failureOf(redisNode, get(silent, { timeout: '60ms' }))).toMatchObject({
      code: 'redis_timeout',
      retryable: true,
    });
    const stop = new AbortController();
    let began = 0;
    const aborting = await saying(null, () => {
      began = performance.now();
      stop.abort();
    });
    expect(await attempt(redisNode, get(aborting), { signal: stop.signal })).toMatchObject({
      error: { code: 'redis_aborted' },
    });
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
