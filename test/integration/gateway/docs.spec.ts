import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { startApp, type TestApp } from '../../support/app';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService] });
});
afterAll(() => app.close());

test('the description of the API is sent once, and anew only when it is another one', async () => {
  const first = await fetch(`${app.url}/openapi.json`);
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(await first.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Everstep' } });
  const etag = first.headers.get('etag') as string;
  const again = await fetch(`${app.url}/openapi.json`, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  expect((await fetch(`${app.url}/openapi.json`, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  const head = await fetch(`${app.url}/openapi.json`, { method: 'HEAD' });
  expect([head.status, Number(head.headers.get('content-length')) > 100_000]).toEqual([200, true]);
});

test.each([
  ['/docs', 'text/html; charset=utf-8', '<script src="/docs/app.js" defer>'],
  ['/docs/app.js', 'text/javascript; charset=utf-8', "fetch('/openapi.json')"],
  ['/docs/app.css', 'text/css; charset=utf-8', 'details.operation'],
])('%s comes with a policy that admits nothing but this host', async (path, type, content) => {
  const response = await fetch(`${app.url}${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect(await response.text()).toContain(content);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('the root leads to the page about the API', async () => {
  const response = await fetch(`${app.url}/`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
});

test('the guides are listed with their headings, and each is a page whose links stay here', async () => {
  const { data } = (await (await fetch(`${app.url}/docs/guides`)).json()) as {
    data: { name: string; title: string; headings: { id: string; text: string }[] }[];
  };
  const webhooks = data.find(({ name }) => name === 'webhooks');
  expect(webhooks).toMatchObject({ title: 'Webhooks and /run' });
  expect(webhooks?.headings).toContainEqual({ id: 'signatures', text: 'Signatures' });
  for (const { name } of data) {
    const response = await fetch(`${app.url}/docs/guides/${name}`);
    expect([name, response.status, response.headers.get('content-type')]).toEqual([
      name,
      200,
      'text/html; charset=utf-8',
    ]);
    const links = [...(await response.text()).matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => !/^(?:https?:|#|\/docs)/.test(href))).toEqual([]);
    for (const [, guide] of links.flatMap((href) => [/^\/docs\/guides\/([\w-]+)/.exec(href) ?? []]))
      if (guide !== undefined) expect(data.map((each) => each.name)).toContain(guide);
  }
});

test.each(['nothing', '..%2Fpackage', '__proto__', 'README'])('the guide %s is not found', async (name) => {
  expect((await fetch(`${app.url}/docs/guides/${name}`)).status).toBe(404);
});
