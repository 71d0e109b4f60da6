import { pathToRegexp } from 'path-to-regexp';
import { Router } from '../../../services/api-gateway/router';
import { ROUTES } from '../../../services/api-gateway/routes';
import { json } from '../../../services/api-gateway/routes/route';

const route = (line: Parameters<typeof json>[0]) => json(line, 'auth.tenant', { summary: line });
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

  test('a path with other methods names them', () => {
    expect(found('DELETE', '/a')).toEqual({ kind: 'wrong method', allow: ['GET', 'HEAD', 'POST'] });
    expect(found('GET', '/b/1')).toEqual({ kind: 'wrong method', allow: ['DELETE'] });
  });

  test("a percent sign that encodes nothing is the caller's fault", () => {
    expect(() => found('GET', '/a/%zz')).toThrow(expect.objectContaining({ type: 'invalid_request' }));
    expect(() => found('GET', '/a/%c3')).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  test('two routes for one method and path refuse to start', () => {
    expect(() => new Router([route('GET /a/:x'), route('GET /a/:y')])).toThrow('Two routes for GET /a/:y');
  });
});

describe('the route tables', () => {
  test('every route has a summary, and is found by its own path', () => {
    const all = new Router(ROUTES);
    for (const entry of ROUTES) {
      expect(entry.summary).not.toBe('');
      expect(all.match(entry.method, entry.path.replaceAll(':', 'v-'))).toMatchObject({ kind: 'found', route: entry });
      expect(pathToRegexp(entry.path).keys.length).toBe(entry.path.split(':').length - 1);
    }
  });
});
