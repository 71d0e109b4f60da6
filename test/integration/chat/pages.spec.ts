import type { JsonObject } from '../../../lib/json';
import { LOGO } from '../../support/images';
import { buildOnce } from '../../support/server';
import { openSite, type Site } from './site';

let site: Site;

beforeAll(async () => {
  // The pages are part of the build of the console.
  buildOnce();
  site = await openSite();
}, 180_000);
afterAll(() => site.close());

const ECHO = { id: 'echo', type: 'set', config: { text: 'You wrote {{ trigger.message }}' } };
const deploy = async (fields: JsonObject = {}): Promise<string> => site.deploy(await site.workflow([ECHO]), fields);
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${site.t.url}${path}`, { headers });
const policyOf = ({ headers }: Response): string => headers.get('content-security-policy') ?? '';

describe('the page of a chat', () => {
  it('shows title and greeting as text, whatever they contain, and runs no script but that of its host', async () => {
    const slug = await deploy({ title: 'Ask <b>us</b>', greeting: '"><script>alert(1)</script>' });
    const response = await get(`/chat/${slug}`);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain('<h1>Ask &lt;b&gt;us&lt;/b&gt;</h1>');
    expect(html).toContain('data-greeting="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(policyOf(response)).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; " +
        "base-uri 'none'; frame-ancestors *; require-trusted-types-for 'script'",
    );
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it('loads files that may be cached for a year, because their names change with them; there are no others', async () => {
    const html = await (await get(`/chat/${await deploy()}`)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/chat\/assets\/[^"]+)"/g)].map(([, path]) => String(path));
    expect(files.map((path) => path.replace(/^.*\./, '.'))).toEqual(['.css', '.js']);
    for (const path of files) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
    }
    for (const name of ['index.html', 'none.js', '..%2findex.html', 'index-x.js'])
      expect((await get(`/chat/assets/${name}`)).status).toBeGreaterThanOrEqual(400);
  });

  it('may be shown in frames of the sites that the chat names alone', async () => {
    const slug = await deploy({ allowed_origins: ['https://shop.example', 'http://localhost:5173'] });
    expect(policyOf(await get(`/chat/${slug}`))).toContain(
      'frame-ancestors https://shop.example http://localhost:5173;',
    );
  });

  it('may use its chat, although the chat names other sites; pages of other hosts may not', async () => {
    const slug = await deploy({ allowed_origins: ['https://shop.example'] });
    expect((await site.say(slug, { message: 'x' }, { origin: site.t.url })).status).toBe(200);
    for (const origin of ['https://evil.example', site.t.url.replace('http:', 'https:'), `${site.t.url}0`])
      expect((await site.say(slug, { message: 'x' }, { origin })).status).toBe(403);
  });

  it.each(['none', 'A', '__proto__', '%00', 'x'.repeat(200)])(
    'is a page for people at an unknown address: %s',
    async (slug) => {
      const response = await get(`/chat/${slug}`);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toContain('There is no chat at this address.');
    },
  );
});

describe('the widget', () => {
  it('can be loaded by any site, and is looked at again after five minutes', async () => {
    const response = await get('/widget.js', { origin: 'https://anywhere.example' });
    const { status, headers } = response;
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=300, stale-while-revalidate=86400');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const unchanged = await get('/widget.js', { 'if-none-match': headers.get('etag') ?? '' });
    expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([304, headers.get('cache-control')]);
  });

  it('is one script without modules', async () => {
    const text = await (await get('/widget.js')).text();
    expect(text).toMatch(/^\(\(\)=>\{/);
    expect(text).not.toMatch(/\b(?:import|export)[\s{(*]/);
  });
});

it('all chats of the tenant are listed with workflow and address, newest first', async () => {
  const workflow = await site.workflow([ECHO]);
  const slugs = [await site.deploy(workflow), await site.deploy(workflow)];
  const { status, body } = await site.api('GET /api/v1/chat-deployments?limit=2');
  expect([status, body.data]).toEqual([
    200,
    slugs.reverse().map((slug) =>
      expect.objectContaining({
        slug,
        workflow_id: workflow,
        workflow_name: 'Flow',
        url: `${site.t.url}/chat/${slug}`,
      }),
    ),
  ]);
});

it('the page of a chat has name, logo and colours of the workspace; its policy allows exactly that', async () => {
  const slug = await deploy();
  const { body } = await site.api('PUT /api/v1/tenant/branding', { name: 'A & B', color: '#FFCC00', logo: LOGO });
  const response = await get(`/chat/${slug}`);
  const html = await response.text();
  const { path } = body.logo as { path: string };
  expect(html).toContain(`<img src="${path}" width="64" height="64" alt="">`);
  expect(html).toContain('<p>A &amp; B</p>');
  expect(html).toContain('--accent:#ffcc00;--on:#000000');
  expect(policyOf(response)).toMatch(/style-src 'self' 'sha256-[^']+'; img-src 'self';/);
  await site.api('PUT /api/v1/tenant/branding', { name: null, color: null, logo: null });
  expect(await (await get(`/chat/${slug}`)).text()).not.toContain('--accent');
});
