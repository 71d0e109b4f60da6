import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createEgress, type Egress, type EgressOptions, parseEgressAllow } from '../../../lib/egress';
import { type Certificate, selfSigned } from '../../support/certificate';
import { type Answer, startServer, type TestServer } from './server';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serving(answer: Answer, options?: Parameters<typeof startServer>[1]): Promise<TestServer> {
  const server = await startServer(answer, options);
  closing.push(server.close);
  return server;
}

function client(allow = '127.0.0.1', options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allow: parseEgressAllow(allow), ...options });
  closing.push(egress.close);
  return egress;
}

const ok: Answer = (_request, response) => response.end('ok');

describe('what may be reached', () => {
  test('the loopback is blocked without a rule and the server receives nothing', async () => {
    const server = await serving(ok);
    await expect(client('').request({ method: 'GET', url: server.url })).rejects.toMatchObject({ kind: 'blocked' });
    expect(server.connections()).toBe(0);
  });

  test.each(['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', 'localhost', '0'])(
    'the loopback spelt %s is blocked',
    async (host) => {
      const server = await serving(ok);
      const request = client('').request({ method: 'GET', url: `http://${host}:${server.port}/` });
      await expect(request).rejects.toMatchObject({ kind: 'blocked', retryable: false });
      expect(server.connections()).toBe(0);
    },
  );

  test('nothing is sent over a connection that came too late for it', async () => {
    const received: string[] = [];
    const server = await serving((request, response) => {
      received.push(request.url ?? '');
      response.end('ok');
    });
    const egress = client();
    let may = true;
    await egress.request({ method: 'POST', url: `${server.url}/first`, mayBegin: () => may });
    may = false;
    const late = egress.request({ method: 'POST', url: `${server.url}/late`, mayBegin: () => may });
    await expect(late).rejects.toMatchObject({ kind: 'aborted' });
    expect(received).toEqual(['/first']);
  });

  test('a rule admits its port alone', async () => {
    const server = await serving(ok);
    const egress = client(`127.0.0.1:${server.port}`);
    expect((await egress.request({ method: 'GET', url: server.url })).status).toBe(200);
    await expect(egress.request({ method: 'GET', url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({
      kind: 'blocked',
    });
  });

  test('IPv6 loopback works with a rule, where the machine has it', async () => {
    const server = await startServer(ok, { host: '::1' }).catch(() => null);
    if (!server) return console.warn('SKIPPED: no IPv6 loopback on this machine');
    closing.push(server.close);
    expect((await client('::1').request({ method: 'GET', url: server.url })).body.toString()).toBe('ok');
    await expect(client().request({ method: 'GET', url: server.url })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('proxy settings of the environment are not followed', async () => {
    const [server, proxy] = [await serving(ok), await serving(ok)];
    process.env.http_proxy = proxy.url;
    try {
      await client().request({ method: 'GET', url: server.url });
    } finally {
      delete process.env.http_proxy;
    }
    expect([server.connections(), proxy.connections()]).toEqual([1, 0]);
  });
});

describe('DNS', () => {
  test('the connection uses the checked address: a name that resolves to a private one afterwards is not resolved again', async () => {
    // Both are loopback so that nothing leaves the machine: 127.0.0.2, admitted, is the public address of the story.
    const open = await startServer(ok, { host: '127.0.0.2' }).catch(() => null);
    if (!open) return console.warn('SKIPPED: this machine has no 127.0.0.2');
    closing.push(open.close);
    const secret = await serving(ok, { port: open.port });
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    const resolver = jest.fn(async () => answers.shift() ?? []);
    const url = `http://rebind.test:${open.port}/`;
    const egress = client('127.0.0.2', { resolver });
    expect((await egress.request({ method: 'GET', url })).status).toBe(200);
    expect(resolver).toHaveBeenCalledTimes(1);
    expect([open.connections(), secret.connections()]).toEqual([1, 0]);

    const fresh = client('127.0.0.2', { resolver });
    await expect(fresh.request({ method: 'GET', url })).rejects.toMatchObject({ kind: 'blocked' });
    expect(secret.connections()).toBe(0);
  });

  test('the connection goes to the pinned address and carries the name', async () => {
    const server = await serving(ok);
    const egress = client('127.0.0.1', { resolver: async () => ['127.0.0.1'] });
    await egress.request({ method: 'GET', url: `http://name.test.:${server.port}/` });
    expect(server.seen[0]?.headers.host).toBe(`name.test:${server.port}`);
  });

  test('the next address is tried when the first refuses', async () => {
    const server = await serving(ok);
    const egress = client('127.0.0.0/8', { resolver: async () => ['127.9.9.9', '127.0.0.1'] });
    expect((await egress.request({ method: 'GET', url: `http://two.test:${server.port}/` })).status).toBe(200);
  });

  test('a name without an answer is a retryable failure', async () => {
    const egress = client('', { resolver: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(egress.request({ method: 'GET', url: 'http://nowhere.test/' })).rejects.toMatchObject({
      kind: 'dns',
      retryable: true,
    });
  });

  test('a resolver that never answers ends with the time bound', async () => {
    const egress = client('', { resolver: () => new Promise(() => {}) });
    const request = egress.request({ method: 'GET', url: 'http://slow.test/', timeoutMs: 30 });
    await expect(request).rejects.toMatchObject({ kind: 'timeout', retryable: true });
  });
});

describe('redirects', () => {
  test('each is checked: one that leads to an address without a rule is blocked', async () => {
    const server: TestServer = await serving((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.2:${server.port}/latest/meta-data` }).end(),
    );
    await expect(client().request({ method: 'GET', url: server.url })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('the fifth is followed, the sixth is an error', async () => {
    const server = await serving((request, response) => {
      const left = Number(request.url.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const answer = await client().request({ method: 'GET', url: `${server.url}/5` });
    expect([answer.body.toString(), answer.url]).toEqual(['there', `${server.url}/0`]);
    await expect(client().request({ method: 'GET', url: `${server.url}/6` })).rejects.toMatchObject({
      kind: 'redirects',
      retryable: false,
    });
  });

  test('with none allowed the redirect itself is the answer', async () => {
    const server = await serving((_request, response) => response.writeHead(302, { location: '/x' }).end());
    expect((await client().request({ method: 'GET', url: server.url, maxRedirects: 0 })).status).toBe(302);
  });

  test('credentials stay behind at a change of origin', async () => {
    const other = await serving(ok);
    const server = await serving((_request, response) => response.writeHead(307, { location: other.url }).end());
    const headers = {
      Authorization: 'a',
      Cookie: 'c',
      'Proxy-Authorization': 'p',
      'X-Api-Key': 'k',
      Accept: 'text/html',
    };
    await client().request({ method: 'POST', url: server.url, headers, body: 'again' });
    expect(server.seen[0]?.headers).toMatchObject({ authorization: 'a', cookie: 'c', 'x-api-key': 'k' });
    expect(other.seen[0]).toMatchObject({ method: 'POST', body: 'again', headers: { accept: 'text/html' } });
    for (const name of ['authorization', 'cookie', 'proxy-authorization', 'x-api-key']) {
      expect(other.seen[0]?.headers[name]).toBeUndefined();
    }
  });
});

describe('bounds', () => {
  test('a body over the bound is cut while it streams', async () => {
    let sent = 0;
    const server = await serving((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const pump = (): void => {
        while (!response.destroyed && sent < 50_000_000) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pump);
        }
        response.end();
      };
      pump();
    });
    await expect(client().request({ method: 'GET', url: server.url, maxBytes: 100_000 })).rejects.toMatchObject({
      kind: 'too_large',
      retryable: false,
    });
    expect(sent).toBeLessThan(20_000_000);
  });

  test('an announced length over the bound is refused before the body', async () => {
    const server = await serving((_request, response) => response.writeHead(200, { 'content-length': 1e9 }).write('x'));
    await expect(client().request({ method: 'GET', url: server.url })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('a HEAD answer may announce any length', async () => {
    const server = await serving((_request, response) => response.writeHead(200, { 'content-length': 1e9 }).end());
    expect((await client().request({ method: 'HEAD', url: server.url })).status).toBe(200);
  });

  test('a bomb is cut at the same bound', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const server = await serving((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    await expect(client().request({ method: 'GET', url: server.url })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('a slow body ends with the time bound', async () => {
    const server = await serving((_request, response) => response.writeHead(200).write('begun'));
    await expect(client().request({ method: 'GET', url: server.url, timeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
      retryable: true,
    });
  });

  test.each([
    ['before the answer', (() => {}) as Answer],
    ['within the body', ((_request, response) => response.writeHead(200).write('begun')) as Answer],
  ])('the signal settles a request %s within a second', async (_when, answer) => {
    let asked = (): void => {};
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await serving((request, response) => {
      answer(request, response);
      asked();
    });
    const stop = new AbortController();
    const request = client().request({ method: 'GET', url: server.url, signal: stop.signal });
    const settled = expect(request).rejects.toMatchObject({ kind: 'aborted', retryable: false });
    await reached;
    const before = performance.now();
    stop.abort();
    await settled;
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  test('a signal that is aborted already sends nothing', async () => {
    const server = await serving(ok);
    const request = client().request({ method: 'GET', url: server.url, signal: AbortSignal.abort() });
    await expect(request).rejects.toMatchObject({ kind: 'aborted' });
    expect(server.connections()).toBe(0);
  });
});

describe('connections', () => {
  test('requests to one origin share connections', async () => {
    const server = await serving(ok);
    const egress = client();
    for (let i = 0; i < 20; i += 1) await egress.request({ method: 'GET', url: `${server.url}/${i}` });
    // Two, since a connection rests for one turn of the event loop before it is taken again.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test.each([
    ['no answer', ''],
    ['a cut body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
  ])('a connection that breaks with %s is a retryable failure', async (_what, text) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => (text === '' ? socket.resetAndDestroy() : socket.end(text)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => void server.close(() => resolve())));
    const { port } = server.address() as { port: number };
    await expect(client().request({ method: 'GET', url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      kind: 'connect',
      retryable: true,
    });
  });

  test('a closed port is a retryable failure that names no address', async () => {
    const server = await startServer(ok);
    await server.close();
    const egress = client('127.0.0.1', { resolver: async () => ['127.0.0.1'] });
    const request = egress.request({ method: 'GET', url: `http://closed.test:${server.port}/?key=hush` });
    await expect(request).rejects.toMatchObject({ kind: 'connect', retryable: true });
    await expect(request).rejects.toThrow(/^(?!.*(?:127\.0|hush)).*closed\.test/);
  });

  test('an answer that is no HTTP is a protocol failure', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => void server.close(() => resolve())));
    const { port } = server.address() as { port: number };
    await expect(client().request({ method: 'GET', url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      kind: 'protocol',
    });
  });

  test('a header named __proto__ in an answer is only a header', async () => {
    const server = await serving((_request, response) => response.setHeader('__proto__', 'x').end('ok'));
    const { headers } = await client().request({ method: 'GET', url: server.url });
    expect(Object.hasOwn(headers, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test('close fails what is under way and what comes after', async () => {
    let asked = (): void => {};
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await serving(() => asked());
    const egress = client();
    const settled = expect(egress.request({ method: 'GET', url: server.url })).rejects.toMatchObject({
      kind: 'aborted',
    });
    await reached;
    await egress.close();
    await settled;
    await expect(egress.request({ method: 'GET', url: server.url })).rejects.toMatchObject({ kind: 'aborted' });
  });
});

describe('requests', () => {
  test('an idempotency key goes with what may write, unless the headers have one', async () => {
    const server = await serving(ok);
    const egress = client();
    for (const method of ['GET', 'HEAD', 'POST', 'put', 'DELETE']) {
      await egress.request({ method, url: server.url, idempotencyKey: 'k1' });
    }
    await egress.request({
      method: 'POST',
      url: server.url,
      idempotencyKey: 'k1',
      headers: { 'Idempotency-Key': 'own' },
    });
    expect(server.seen.map((seen) => seen.headers['idempotency-key'])).toEqual([
      undefined,
      undefined,
      'k1',
      'k1',
      'k1',
      'own',
    ]);
  });

  test.each([
    { method: 'CONNECT', url: 'http://127.0.0.1/' },
    { method: 'TRACE', url: 'http://127.0.0.1/' },
    { method: 'GET / HTTP/1.1\r\nx: y', url: 'http://127.0.0.1/' },
    { method: 'GET', url: 'http://127.0.0.1/\r\nx: y' },
    { method: 'GET', url: 'http://127.0.0.1/', headers: { host: 'other' } },
    { method: 'POST', url: 'http://127.0.0.1/', idempotencyKey: 'a\r\nb' },
  ])('%j is refused before a connection is made', async (request) => {
    await expect(client().request(request)).rejects.toMatchObject({ kind: 'protocol', retryable: false });
  });
});

describe('TLS', () => {
  const certificate = (): Certificate | null => selfSigned('DNS:secure.test');

  test('the certificate is held against the name, not the pinned address', async () => {
    const tls = certificate();
    if (!tls) return;
    const server = await serving(ok, { tls });
    const resolver = async (): Promise<string[]> => ['127.0.0.1'];
    const get = (egress: Egress, host: string) =>
      egress.request({ method: 'GET', url: `https://${host}:${server.port}/` });
    const trusting = client('127.0.0.1', { resolver, ca: tls.cert });
    expect((await get(trusting, 'secure.test')).status).toBe(200);
    await expect(get(trusting, 'other.test')).rejects.toMatchObject({ kind: 'protocol', retryable: false });
    await expect(get(client('127.0.0.1', { resolver }), 'secure.test')).rejects.toMatchObject({ kind: 'protocol' });
  });

  test('a redirect from https to http is followed and noted', async () => {
    const tls = certificate();
    if (!tls) return;
    const plain = await serving(ok);
    const server = await serving((_request, response) => response.writeHead(302, { location: plain.url }).end(), {
      tls,
    });
    const egress = client('127.0.0.1', { resolver: async () => ['127.0.0.1'], ca: tls.cert });
    const answer = await egress.request({ method: 'GET', url: `https://secure.test:${server.port}/` });
    expect(answer).toMatchObject({ status: 200, downgraded: true });
    expect((await egress.request({ method: 'GET', url: plain.url })).downgraded).toBe(false);
  });
});
