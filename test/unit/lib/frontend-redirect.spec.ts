import { frontendRedirect } from '../../../lib/frontend-redirect';

const config = (frontendUrl: string | null, baseUrl: string | null) =>
  ({ signIn: { frontendUrl }, baseUrl }) as Parameters<typeof frontendRedirect>[0];

test.each([
  ['https://app.example', 'https://api.example', 'https://app.example/x#token=t'],
  [null, 'https://api.example', 'https://api.example/console/x#token=t'],
  // A path alone: the browser stays at the address that it has asked, whatever the request says of its host.
  [null, null, '/console/x#token=t'],
])('a browser is redirected to the configured address: %s, %s', (frontendUrl, baseUrl, expected) => {
  expect(frontendRedirect(config(frontendUrl, baseUrl), { token: 't' }, '/x')).toBe(expected);
});
