import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { guardSocket, createDialer, type Dialer, parseEgressAllow, type Resolver, secure } from '../../../lib/egress';
import { selfSigned } from '../../support/certificate';
import { until } from '../../support/until';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Listening {
  readonly port: number;
  readonly peers: Socket[];
}

async function listening(server: Server): Promise<Listening> {
  const peers: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    peers.push(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const peer of peers) peer.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, peers };
}

const dialer = (allow = '127.0.0.1', resolver?: Resolver): Dialer =>
  createDialer({ allow: parseEgressAllow(allow), resolver });

const never = new AbortController().signal;
const to = (port: number, host = '127.0.0.1', signal = never) => ({ host, port, timeoutMs: 5_000, signal });

const echo = (): Server => createServer((socket) => socket.pipe(socket));

/** An end with an error is an end. */
const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

async function answerOf(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString();
}

describe('allowed addresses', () => {
  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '::ffff:7f00:1'])(
    '%s is blocked without a rule, and the server hears nothing',
    async (host) => {
      const { port, peers } = await listening(echo());
      await expect(dialer('').connect(to(port, host))).rejects.toMatchObject({ kind: 'blocked', retryable: false });
      expect(peers).toEqual([]);
    },
  );

  test.each([
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    'a b',
    'a:5432',
    'a/b',
    'user@a',
    '',
    '/tmp/.s.PGSQL.5432',
  ])('%j is no host', async (host) => {
    await expect(dialer('').connect(to(5432, host))).rejects.toMatchObject({ kind: 'protocol', retryable: false });
  });

  test.each([0, -1, 65_536, 1.5, Number.NaN])('%d is no port', async (port) => {
    await expect(dialer().connect(to(port))).rejects.toMatchObject({ kind: 'protocol' });
  });

  test('a rule admits its port alone', async () => {
    const { port } = await listening(echo());
    const open = dialer(`127.0.0.1:${port}`);
    expect(await answerOf(await open.connect(to(port)), 'hello')).toBe('hello');
    await expect(open.connect(to(port === 1 ? 2 : 1))).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('a name is resolved once, and the connection uses the address that was checked', async () => {
    const { port } = await listening(echo());
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const resolver = jest.fn(async () => answers.shift() ?? []);
    const socket = await dialer('127.0.0.1', resolver).connect(to(port, 'DB.test.'));
    expect(await answerOf(socket, 'hello')).toBe('hello');
    expect(resolver.mock.calls).toEqual([['db.test']]);
  });

  test('the next address is tried when the first refuses', async () => {
    const { port } = await listening(echo());
    const socket = await dialer('127.0.0.0/8', async () => ['127.9.9.9', '127.0.0.1']).connect(to(port, 'two.test'));
    expect(await answerOf(socket, 'hello')).toBe('hello');
  });

  test('a closed port is a retryable failure that names the host alone', async () => {
    const { port } = await listening(echo());
    await closing.pop()?.();
    const failing = dialer('127.0.0.1', async () => ['127.0.0.1']).connect(to(port, 'db.test'));
    await expect(failing).rejects.toMatchObject({
      kind: 'connect',
      retryable: true,
      message: `the connection to db.test:${port} failed: ECONNREFUSED`,
    });
  });

  test('a name that is never found ends with the time bound, or with the signal', async () => {
    const slow = dialer('', () => new Promise(() => {}));
    await expect(slow.connect({ ...to(1, 'slow.test'), timeoutMs: 20 })).rejects.toMatchObject({ kind: 'timeout' });
    const stop = new AbortController();
    const aborted = expect(slow.connect(to(1, 'slow.test', stop.signal))).rejects.toMatchObject({ kind: 'aborted' });
    stop.abort();
    await aborted;
    await expect(dialer().connect(to(1, 'a.test', AbortSignal.abort()))).rejects.toMatchObject({ kind: 'aborted' });
  });
});

describe('an open connection', () => {
  test('ends with the signal', async () => {
    const { port, peers } = await listening(echo());
    const stop = new AbortController();
    const socket = await dialer().connect(to(port, '127.0.0.1', stop.signal));
    const closed = closeOf(socket);
    stop.abort();
    await closed;
    await until('the server sees it', () => peers[0]?.closed || peers[0]?.readableEnded);
  });

  test('may break while no handler listens', async () => {
    const { port, peers } = await listening(createServer());
    const socket = await dialer().connect(to(port));
    await until('it is accepted', () => peers[0]);
    peers[0]?.resetAndDestroy();
    socket.write('x');
    await until('it is closed', () => socket.closed);
  });

  test('ends when a listener throws, instead of the process', async () => {
    const { port } = await listening(echo());
    const socket = await dialer().connect(to(port));
    const broken = once(socket, 'error').catch((error: unknown) => [error]);
    socket.on('data', () => {
      throw new TypeError('cannot read properties of undefined');
    });
    socket.write('x');
    expect(await broken).toMatchObject([{ kind: 'protocol', retryable: false }]);
    expect(socket.destroyed).toBe(true);
  });

  test('ends when more comes in than its bound', async () => {
    const { port } = await listening(echo());
    const socket = guardSocket(await dialer().connect(to(port)), 'db.test', 1_000);
    const broken = once(socket, 'error').catch((error: unknown) => [error]);
    let got = 0;
    socket.on('data', (chunk: Buffer) => (got += chunk.length));
    socket.write(Buffer.alloc(5_000));
    expect(await broken).toMatchObject([{ kind: 'too_large' }]);
    expect(got).toBeLessThanOrEqual(1_000);
  });
});

describe('TLS over it', () => {
  const certificate = selfSigned('DNS:db.test', 'IP:127.0.0.1');
  // Where openssl is missing no certificate can be had; `selfSigned` says so.
  const withCertificate = certificate === null ? test.skip : test;
  const resolver: Resolver = async () => ['127.0.0.1'];

  const secureServer = (): Promise<Listening> => {
    const server = createSecureServer({ ...certificate }, (socket) => socket.on('error', () => {}).pipe(socket));
    server.on('tlsClientError', () => {});
    return listening(server);
  };
  const connected = (port: number, signal = never): Promise<Socket> =>
    dialer('127.0.0.1', resolver).connect(to(port, 'db.test', signal));

  withCertificate.each(['db.test', '127.0.0.1'])('is held against %s', async (host) => {
    const { port } = await secureServer();
    const peer = { host, verify: 'full', ca: certificate?.cert } as const;
    expect(await answerOf(await secure(await connected(port), peer, 5_000), 'hello')).toBe('hello');
  });

  withCertificate('is refused for another name, unless the issuer is enough', async () => {
    const { port } = await secureServer();
    const peer = { host: 'other.test', ca: certificate?.cert } as const;
    await expect(secure(await connected(port), { ...peer, verify: 'full' }, 5_000)).rejects.toMatchObject({
      kind: 'protocol',
      retryable: false,
    });
    const socket = await secure(await connected(port), { ...peer, verify: 'issuer' }, 5_000);
    expect(await answerOf(socket, 'hello')).toBe('hello');
  });

  withCertificate('is refused from an unknown issuer, unless nothing is verified', async () => {
    const { port } = await secureServer();
    for (const verify of ['full', 'issuer'] as const) {
      const refused = secure(await connected(port), { host: 'db.test', verify }, 5_000);
      await expect(refused).rejects.toMatchObject({ kind: 'protocol' });
    }
    const socket = await secure(await connected(port), { host: 'db.test', verify: 'none' }, 5_000);
    expect(await answerOf(socket, 'hello')).toBe('hello');
  });

  withCertificate('ends with the signal of the connection', async () => {
    const { port } = await secureServer();
    const stop = new AbortController();
    const socket = await secure(await connected(port, stop.signal), { host: 'db.test', verify: 'none' }, 5_000);
    const closed = closeOf(socket);
    stop.abort();
    await closed;
  });

  test('does not wait without a limit for a server that sends nothing, or goes', async () => {
    const silent = await listening(createServer());
    const peer = { host: 'db.test', verify: 'full' } as const;
    await expect(secure(await connected(silent.port), peer, 20)).rejects.toMatchObject({ kind: 'timeout' });
    const leaving = await listening(createServer((socket) => void socket.once('data', () => socket.end())));
    await expect(secure(await connected(leaving.port), peer, 5_000)).rejects.toMatchObject({ kind: 'connect' });
  });
});
