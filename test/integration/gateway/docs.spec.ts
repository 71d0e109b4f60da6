import { apiGatewayService } from '../../../services/api-gateway';
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
