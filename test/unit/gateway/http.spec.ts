import { parseJson, parseJsonText } from '../../../lib/http-body/json-body';
import { parseQuery, withPage } from '../../../services/api-gateway/http/query';
import { prefersHtml, requestIdOf, splitTarget } from '../../../services/api-gateway/http/request';
import { safeHeaders } from '../../../services/api-gateway/http/user-response';

const refused = (type: string) => expect.objectContaining({ type });

describe('a JSON body', () => {
  it.each([
    [String.raw`{"name":"\ud800"}`, true],
    [String.raw`{"\uDFFF":1}`, true],
    [String.raw`{"name":"\\\udbff"}`, true],
    [String.raw`{"name":"\ud83d\udca9"}`, false],
    [String.raw`{"name":"\\ud800"}`, false],
    ['{"name":"\u{1f4a9}"}', false],
  ])('%s with half of a surrogate pair is refused: %s', async (text, isRefused) => {
    const parsed = parseJsonText(text);
    if (isRefused) await expect(parsed).rejects.toThrow('half of a surrogate pair');
    else expect(await parsed).toEqual(JSON.parse(text));
  });

  test('keeps plain values', async () => {
    expect(await parseJson('{"a":[1,{"b":null}],"c":"ü"}')).toEqual({ a: [1, { b: null }], c: 'ü' });
    expect(await parseJson('3')).toBe(3);
  });

  test('treats keys of Object.prototype as ordinary keys, in any notation and depth', async () => {
    const value = await parseJson(
      '{"__proto__":{"x":1},"a":[{"constructor":1,"pro\\u0074otype":2,"\\u005f_proto__":3}]}',
    );
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"a":[{"constructor":1,"prototype":2,"__proto__":3}]}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('that is malformed is refused with the position', async () => {
    await expect(parseJson('{"a":\n oops}')).rejects.toThrow('The body is not valid JSON, line 2, column 2');
  });

  test('nests 64 deep at most, holds a million values at most, and 30,000 members in an object', async () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const members = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(',')}}`;
    expect(await parseJson(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(Object.keys((await parseJson(members(30_000))) as object)).toHaveLength(30_000);
    for (const text of [nested(65), nested(500_000), `[${'0,'.repeat(1_000_000)}0]`, members(30_001)])
      await expect(parseJson(text)).rejects.toEqual(refused('invalid_json'));
  });
});

describe('a query', () => {
  test('is flat: brackets are plain characters, repeated names are a list', () => {
    expect({ ...parseQuery('a=1&b[c]=2&a=3&d=x+y%20z&e') }).toEqual({ a: ['1', '3'], 'b[c]': '2', d: 'x y z', e: '' });
  });

  test('treats names of Object.prototype as ordinary names, and inherits none', () => {
    const query = parseQuery('__proto__=1&constructor=2&a=3&__proto__=4');
    expect(Object.entries(query)).toEqual([
      ['__proto__', ['1', '4']],
      ['constructor', '2'],
      ['a', '3'],
    ]);
    expect(query.toString).toBeUndefined();
  });

  test('with malformed percent signs and thousands of fields is accepted', () => {
    expect(parseQuery('a=%zz&b=%ff')).toMatchObject({ a: '%zz', b: '\ufffd' });
    expect(() => parseQuery('a&'.repeat(1_001))).toThrow(refused('invalid_request'));
  });

  test('has whole numbers in range as its page', () => {
    expect(withPage(parseQuery('limit=200&offset=0&cursor=c'))).toEqual({ limit: 200, offset: 0, cursor: 'c' });
    for (const wrong of [
      'limit=0',
      'limit=201',
      'limit=',
      'limit=x',
      'limit=1.5',
      'limit=1&limit=2',
      'offset=-1',
      'limit=1e2',
    ]) {
      expect(() => withPage(parseQuery(wrong))).toThrow(refused('invalid_request'));
    }
  });
});

describe('a request', () => {
  test('keeps an id of visible ASCII, and gets one otherwise', () => {
    expect(requestIdOf('abc-123')).toBe('abc-123');
    for (const wrong of [undefined, '', 'a b', 'é', 'x'.repeat(129)])
      expect(requestIdOf(wrong)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['/a/b?c=d?e', '/a/b', 'c=d?e'],
    ['/a/', '/a', ''],
    ['/', '/', ''],
    ['/?x', '/', 'x'],
    ['http://host:1/a?b', '/a', 'b'],
    ['HTTPS://host', '/', ''],
    ['http://host?b', '/', 'b'],
  ])('for %j has the path %j and the query %j', (target, pathname, search) => {
    expect(splitTarget(target)).toEqual({ pathname, search });
  });

  test.each(['*', 'a/b', 'ftp://x/', ''])('for %j has no path', (target) => {
    expect(splitTarget(target)).toBeNull();
  });

  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
    ['text/*', true],
    ['text/html;q=0.1, application/json;q=0.2', false],
    ['text/html, application/json', false],
    ['text/html;q=zero', false],
  ])('that accepts %j prefers HTML: %j', (accept, expected) => {
    expect(prefersHtml(accept)).toBe(expected);
  });
});

test('header fields of a workflow: those of a list, and its own; malformed ones and what proxies act on are left out', () => {
  expect(
    safeHeaders({
      'X-Own': 'yes',
      'Content-Length': '5',
      'transfer-encoding': 'chunked',
      Connection: 'close',
      'Set-Cookie': 'a=b',
      'X-Split': 'a\r\nSet-Cookie: b',
      'bad name': 'x',
      'Content-Type': 'text/csv',
      'X-Number': 4,
      'X-Bad-List': ['fine', 'a\nb'],
      Vary: ['Accept', 'Origin'],
    }),
  ).toEqual({ 'x-own': 'yes', 'content-type': 'text/csv', 'x-number': '4', vary: ['Accept', 'Origin'] });
});

test.each([
  'X-Accel-Redirect',
  'X-Sendfile',
  'X-Sendfile2',
  'X-LIGHTTPD-send-file',
  'X-Reproxy-URL',
  'X-Archive-Files',
  'X-Middleware-Rewrite',
  'X-Forwarded-Host',
  'X-Frame-Options',
  'Refresh',
  'Access-Control-Allow-Origin',
  'Speculation-Rules',
  'Link',
  'Content-Security-Policy',
  'Service-Worker-Allowed',
  'Alt-Svc',
  'Origin-Agent-Cluster',
  'WWW-Authenticate',
  'Content-Encoding',
])('the header field %s of a workflow is not sent', (name) => {
  expect(safeHeaders({ [name]: '/etc/passwd' })).toEqual({});
});
