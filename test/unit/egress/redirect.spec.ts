import { type Hop, nextHop } from '../../../lib/egress/redirect';
import { parseTarget } from '../../../lib/egress/target';

const hop = (method: string, headers: Record<string, string> = {}): Hop => ({
  method,
  target: parseTarget('https://a.example/start'),
  headers: new Map(Object.entries(headers)),
  body: method === 'GET' ? null : 'data',
});

describe('the next request after a response', () => {
  test.each([200, 204, 300, 304, 305, 306, 400])('%i is final', (status) =>
    expect(nextHop(hop('GET'), status, '/next')).toBeNull(),
  );

  test('a redirect without a location is final', () => expect(nextHop(hop('GET'), 302, undefined)).toBeNull());

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('%i turns %s into %s', (status, before, after) => {
    const next = nextHop(hop(before, { 'content-type': 'text/plain', 'idempotency-key': 'k' }), status, '/next');
    expect(next).toMatchObject({ method: after, body: after === before ? 'data' : null });
    expect(next?.headers.has('content-type')).toBe(after === before);
    expect(next?.headers.has('idempotency-key')).toBe(after === before);
  });

  const credentials = { authorization: 'x', cookie: 'x', 'proxy-authorization': 'x', 'x-api-key': 'x', accept: '*/*' };

  test('the same origin keeps every header', () => {
    expect([...(nextHop(hop('GET', credentials), 302, '/next')?.headers.keys() ?? [])]).toHaveLength(5);
  });

  test.each(['https://b.example/', 'https://a.example:444/', 'http://a.example/', '//b.example'])(
    'a new origin (%s) gets no header that could be a credential',
    (location) =>
      expect([...(nextHop(hop('GET', credentials), 302, location)?.headers.keys() ?? [])]).toEqual(['accept']),
  );

  test.each(['file:///etc/passwd', 'https://u:p@b.example/', 'http://b.example/\r\nx: y'])(
    '%j is refused',
    (location) =>
      expect(() => nextHop(hop('GET'), 302, location)).toThrow(expect.objectContaining({ kind: 'protocol' })),
  );
});
