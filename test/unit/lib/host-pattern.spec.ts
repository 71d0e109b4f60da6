import { hostMatches, isHostPattern } from '../../../lib/host-pattern';

test.each([
  ['api.example.com', true],
  ['*.example.com', true],
  ['api.example.com:8443', true],
  ['127.0.0.1:8080', true],
  ['localhost', true],
  ['*', false],
  ['*.com', false],
  ['a.*.com', false],
  ['https://a.example', false],
  ['a.example/x', false],
  ['', false],
  ['a b', false],
  ['-a.example', false],
])('%s is a pattern of hosts: %s', (text, expected) => {
  expect(isHostPattern(text)).toBe(expected);
});

test.each<[string, string, boolean]>([
  ['api.example.com', 'https://api.example.com/x', true],
  ['API.example.com', 'https://api.EXAMPLE.com/x', true],
  ['api.example.com', 'https://api.example.com:8443/x', false],
  ['api.example.com:8443', 'https://api.example.com:8443/x', true],
  ['api.example.com', 'http://api.example.com/x', false],
  ['api.example.com', 'https://api.example.com.evil.test/', false],
  ['api.example.com', 'https://api.example.com@evil.test/', false],
  ['api.example.com', 'https://evil.test/#api.example.com', false],
  ['api.example.com', String.raw`https://evil.test\@api.example.com/`, false],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://evilexample.com/', false],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080/', true],
  ['127.0.0.1', 'http://127.0.0.1:8080/', false],
  ['api.example.com', 'not a url', false],
])('%s and %s: %s', (pattern, url, expected) => {
  expect(hostMatches([pattern], url)).toBe(expected);
});
