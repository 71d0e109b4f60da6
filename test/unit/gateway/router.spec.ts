import { pathToRegexp } from 'path-to-regexp';
import { Router } from '../../../services/api-gateway/router';
import { ROUTES } from '../../../services/api-gateway/routes';
import { lineOf, type Route } from '../../../services/api-gateway/routes/route';

const route = (line: Parameters<typeof lineOf>[0]): Route => ({
  kind: 'health',
  ...lineOf(line),
  access: 'public',
  summary: line,
  asks: 'alive',
});
const router = new Router(
  (
    ['GET /a', 'POST /a', 'GET /a/:id', 'GET /a/health', 'PUT /a/:id/x', 'GET /a/:one/:two', 'DELETE /b/:id'] as const
  ).map(route),
);
const found = (method: string, path: string) => {
  const match = router.match(method, path);
  return match.kind === 'found' ? [match.route.summary, match.params] : match;
};

describe('the router', () => {
  test.each([
    ['GET', '/a', ['GET /a', {}]],
    ['HEAD', '/a', ['GET /a', {}]],
    ['GET', '/a/7', ['GET /a/:id', { id: '7' }]],
    ['GET', '/a/health', ['GET /a/health', {}]],
    ['GET', '/a/health/y', ['GET /a/:one/:two', { one: 'health', two: 'y' }]],
    ['PUT', '/a/7/x', ['PUT /a/:id/x', { id: '7' }]],
    ['GET', '/a/%C3%A9%2F..', ['GET /a/:id', { id: 'é/..' }]],
  ])('%s %s', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected);
  });

  test.each(['/', '/A', '/a//', '/a//x', '/b', '/a/1/2/3', '/__proto__', '/constructor'])(
    'nothing is at %s',
    (path) => {
      expect(found('GET', path)).toEqual({ kind: 'nothing' });
    },
  );

  test('a path with other methods lists them', () => {
    expect(found('DELETE', '/a')).toEqual({ kind: 'wrong method', allow: ['GET', 'HEAD', 'POST'] });
    expect(found('GET', '/b/1')).toEqual({ kind: 'wrong method', allow: ['DELETE'] });
  });

  test('an invalid percent encoding is a fault of the caller', () => {
    expect(() => found('GET', '/a/%zz')).toThrow(expect.objectContaining({ type: 'invalid_request' }));
    expect(() => found('GET', '/a/%c3')).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  test.each([
    ['/f/1', 'nothing'],
    ['/f/1/a', '1 a'],
    ['/f/1/a/b/c', '1 a/b/c'],
    ['/f/1/a%20b/%C3%A9', '1 a b/\u00e9'],
    ['/f/1//a', '1 /a'],
    ['/f/1/own', 'own'],
    ['/f/1/own/a', '1 own/a'],
  ])('a wildcard matches the whole rest of a path: %s', (path, expected) => {
    const files = new Router((['GET /f/:id/:path*', 'GET /f/:id/own'] as const).map(route));
    const match = files.match('GET', path);
    const actual =
      match.kind === 'found'
        ? match.params.path === undefined
          ? 'own'
          : `${match.params.id} ${match.params.path}`
        : match.kind;
    expect(actual).toBe(expected);
  });

  test('an encoded slash in the rest of a path is refused', () => {
    const files = new Router([route('GET /f/:path*')]);
    expect(() => files.match('GET', '/f/a%2Fb')).toThrow(expect.objectContaining({ type: 'invalid_request' }));
    expect(() => files.match('GET', '/f/a/..%2f')).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  test('two routes for one method and path are refused at the start', () => {
    expect(() => new Router([route('GET /a/:x'), route('GET /a/:y')])).toThrow('Two routes for GET /a/:y');
  });
});

describe('the route tables', () => {
  test('every route has a summary, and is found by its own path', () => {
    const all = new Router(ROUTES);
    for (const entry of ROUTES) {
      expect(entry.summary).not.toBe('');
      expect(all.match(entry.method, entry.path.replaceAll(':', 'v-'))).toMatchObject({ kind: 'found', route: entry });
      expect(pathToRegexp(entry.path.replace('*', '')).keys.length).toBe(entry.path.split(':').length - 1);
    }
  });
});
