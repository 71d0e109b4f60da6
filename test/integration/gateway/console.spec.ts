import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleSite } from '../../../services/api-gateway/console/site';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { startApp, type TestApp } from '../../support/app';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'";

let folder: string | null = null;
let server: Server;
beforeAll(async () => {
  const site = new ConsoleSite(true, () => folder);
  server = createServer((incoming, response) => {
    try {
      site.serve((incoming.url ?? '').slice(1), incoming, response);
    } catch (error) {
      response.writeHead(404).end((error as Error).message);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

/** A build of the console whose document says which one it is. */
function build(name: string, at: number): string {
  const made = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(made, 'assets'));
  mkdirSync(join(made, '.vite'));
  const files = {
    'index.html': name,
    'assets/a-1.js': `${name} script`,
    'assets/a-1.js.br': 'br',
    'assets/a-1.js.gz': 'gz',
    '.vite/manifest.json': '{}',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(made, path), text);
  utimesSync(join(made, 'index.html'), at, at);
  return made;
}

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Without the decoding of fetch. */
function get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, path: `/${path}`, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe('the files of a build', () => {
  beforeAll(() => {
    folder = build('first', 1_000);
  });
  afterAll(() => rmSync(folder as string, { recursive: true, force: true }));

  test.each(['', 'runs', 'runs/1?step=a', '.vite/manifest.json'])(
    '/%s is the document, with the policy',
    async (path) => {
      const { status, text, headers } = await get(path);
      expect([status, text]).toEqual([200, 'first']);
      expect(headers).toMatchObject({
        'content-security-policy': POLICY,
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
  ])('with Accept-Encoding %s a file is sent as %s, to be kept for a year', async (accepted, coding) => {
    const { headers, text } = await get('assets/a-1.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(text).toBe({ br: 'br', gzip: 'gz' }[coding ?? ''] ?? 'first script');
  });

  test('a file that the browser has is not sent again', async () => {
    const { headers } = await get('');
    expect(await get('', { 'if-none-match': headers.etag ?? '' })).toMatchObject({ status: 304, text: '' });
  });

  test('a file of another version is not found, rather than the document', async () => {
    expect((await get('assets/gone.js')).status).toBe(404);
  });

  test('a build that is made while the server runs is served from then on', async () => {
    expect((await get('')).text).toBe('first');
    writeFileSync(join(folder as string, 'index.html'), 'second');
    utimesSync(join(folder as string, 'index.html'), 2_000, 2_000);
    expect((await get('')).text).toBe('second');
  });
});

test('without a build, a page that loads itself again says so', async () => {
  const site = new ConsoleSite(true, () => null);
  const lone = createServer((incoming, response) => site.serve('', incoming, response));
  await new Promise<void>((resolve) => lone.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${(lone.address() as AddressInfo).port}`);
  lone.close();
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await response.text()).toContain('The console is being built');
});

describe('the gateway', () => {
  let app: TestApp;
  afterEach(() => app.close());
  const home = (accept: string) => fetch(app.url, { redirect: 'manual', headers: { accept } });

  test('leads browsers from its root to the console, and programs to the page about the API', async () => {
    app = await startApp({ services: [apiGatewayService] });
    expect((await home('text/html,application/xhtml+xml')).headers.get('location')).toBe('/console');
    expect((await home('application/json')).headers.get('location')).toBe('/docs');
  });

  test('has no console with CONSOLE=off', async () => {
    app = await startApp({ services: [apiGatewayService], env: { CONSOLE: 'off' } });
    expect((await home('text/html')).headers.get('location')).toBe('/docs');
    expect((await fetch(`${app.url}/console`)).status).toBe(404);
    expect((await fetch(`${app.url}/console/runs`)).status).toBe(404);
  });
});
