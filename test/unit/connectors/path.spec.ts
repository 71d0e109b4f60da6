import fc from 'fast-check';
import { urlPath, pathSegments } from '../../../nodes/connectors/http/path';
import { urlOf } from '../../../nodes/connectors/http/url';
import { InvalidInputError } from '../../../nodes/connectors/invalid-input-error';

test('values are encoded, numbers too', () => {
  expect(urlPath`/repos/${'a b/ü'}/issues/${7}`).toBe('/repos/a%20b%2F%C3%BC/issues/7');
  expect(urlPath`/files/${pathSegments('/docs/a b.md')}`).toBe('/files/docs/a%20b.md');
  expect(urlPath`/bot${'1:x'}/send`).toBe('/bot1%3Ax/send');
});

test.each([undefined, null, '', '.', '..', true, {}, []])('the value %j is refused', (value) => {
  expect(() => urlPath`/a/${value}/b`).toThrow(InvalidInputError);
});

test.each(['../x', 'a/../b', 'a//b', '.', ''])('the path of a file %j is refused', (value) => {
  expect(() => urlPath`/files/${pathSegments(value)}`).toThrow(InvalidInputError);
});

test('no value leaves its part, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      let path: string;
      try {
        path = urlPath`/a/${value}/b`;
      } catch (fault) {
        expect(fault).toBeInstanceOf(InvalidInputError);
        return;
      }
      const url = new URL(`https://api.example.com${path}`);
      expect([url.host, url.pathname.split('/').length, url.search, url.hash]).toEqual(['api.example.com', 4, '', '']);
    }),
  );
});

test.each([
  ['/users', undefined, 'https://api.example.com/v1/users'],
  ['/users', 'http://127.0.0.1:9/x', 'http://127.0.0.1:9/x/users'],
  ['https://api.example.com/v1/users?page=2', undefined, 'https://api.example.com/v1/users?page=2'],
  ['https://api.example.com/v1/users?page=2', 'http://127.0.0.1:9/x', 'http://127.0.0.1:9/x/users?page=2'],
  ['https://api.example.com/v11/users', 'http://127.0.0.1:9/x', 'http://127.0.0.1:9/x/v11/users'],
  ['https://content.example.com/up?a=1', 'http://127.0.0.1:9', 'http://127.0.0.1:9/up?a=1'],
  ['http://127.0.0.1:9/next', 'http://127.0.0.1:9', 'http://127.0.0.1:9/next'],
])('%s, where the operator says %s, goes to %s', (url, operator, expected) => {
  expect(urlOf({ url }, { provider: 'https://api.example.com/v1/', operator })).toBe(expected);
});

test('a query is added behind what is there', () => {
  const base = { provider: 'https://a.example', operator: undefined };
  expect(urlOf({ url: '/x', query: { a: 1, b: null, c: undefined, d: ['1', '2'], e: true } }, base)).toBe(
    'https://a.example/x?a=1&d=1&d=2&e=true',
  );
  expect(urlOf({ url: '/x?y=1', query: { a: 'b c' } }, base)).toBe('https://a.example/x?y=1&a=b+c');
});
