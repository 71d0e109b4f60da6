import fc from 'fast-check';
import { jsonFault } from '../../../lib/http-body/json-fault';
import { assertText, parseJson } from '../../../lib/http-body/json-body';
import { parseQuery, withPage } from '../../../services/api-gateway/http/query';
import { prefersHtml, requestIdOf, splitTarget } from '../../../services/api-gateway/http/request';
import { safeHeaders } from '../../../services/api-gateway/http/user-response';

const refused = (type: string) => expect.objectContaining({ type });

describe('the place of a JSON fault', () => {
  test.each([
    ['{"a":1,}', 1, 8],
    ['{"a":x}', 1, 6],
    ['[1,\n 2,\n oops]', 3, 2],
    ['{"a" 1}', 1, 6],
    ['{a:1}', 1, 2],
    ['[1 2]', 1, 4],
    ['{"a":1', 1, 7],
    ['"unclosed', 1, 1],
    ['[]]', 1, 3],
    ['{"a":[1}', 1, 8],
    ['[,1]', 1, 2],
    ['01', 1, 2],
    ['', 1, 1],
    ['"\u0001"', 1, 1],
  ])('of %j is line %i, column %i', (text, line, column) => {
    expect(jsonFault(text)).toEqual({ line, column });
  });

  // Bounded by the test's own time-out alone: a look that takes exponential time never ends.
  test.each([
    ['plain characters', 'a'.repeat(900_000)],
    ['escapes', '\\n'.repeat(450_000)],
    ['plain characters and escapes in turn', 'ab\\u00e9'.repeat(100_000)],
  ])('is found in linear time in an unclosed string of %s', (_what, inside) => {
    expect(jsonFault(`{"a":"${inside}`)).toEqual({ line: 1, column: 6 });
  });

  test('is found exactly where the runtime finds a fault too', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-0.5e3',
      'true',
      'null',
      ' ',
      '\n',
      'x',
      '"',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          expect(jsonFault(text) === null).toBe(valid);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('of any valid text is nowhere', () => {
    fc.assert(fc.property(fc.json(), (text) => expect(jsonFault(text)).toBeNull()));
  });
});

describe('a JSON body', () => {
  it.each([
    [String.raw`{"name":"\ud800"}`, true],
    [String.raw`{"\uDFFF":1}`, true],
    [String.raw`{"name":"\\\udbff"}`, true],
    [String.raw`{"name":"\ud83d\udca9"}`, false],
    [String.raw`{"name":"\\ud800"}`, false],
    ['{"name":"\u{1f4a9}"}', false],
  ])('%s with half of a surrogate pair is refused: %s', (text, refused) => {
    const look = expect(() => assertText(text, parseJson(text)));
    if (refused) look.toThrow('half of a surrogate pair');
    else look.not.toThrow();
  });

  test('keeps what is plain', () => {
    expect(parseJson('{"a":[1,{"b":null}],"c":"ü"}')).toEqual({ a: [1, { b: null }], c: 'ü' });
    expect(parseJson('3')).toBe(3);
  });

  test('keeps keys that name inherited members as keys like any other, however they are written and however deep', () => {
    const value = parseJson('{"__proto__":{"x":1},"a":[{"constructor":1,"pro\\u0074otype":2,"\\u005f_proto__":3}]}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"a":[{"constructor":1,"prototype":2,"__proto__":3}]}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('that is broken is refused with its place', () => {
    expect(() => parseJson('{"a":\n oops}')).toThrow('The body is not valid JSON, line 2, column 2');
  });

  test('nests 64 deep at most, and holds a million values at most', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parseJson(nested(64))).not.toThrow();
    expect(() => parseJson(nested(65))).toThrow(refused('invalid_json'));
    expect(() => parseJson(nested(500_000))).toThrow(refused('invalid_json'));
    expect(() => parseJson(`[${'0,'.repeat(1_000_000)}0]`)).toThrow(refused('invalid_json'));
  });
});

describe('a query', () => {
  test('is flat: brackets mean nothing, repeated names make a list', () => {
    expect({ ...parseQuery('a=1&b[c]=2&a=3&d=x+y%20z&e') }).toEqual({ a: ['1', '3'], 'b[c]': '2', d: 'x y z', e: '' });
  });

  test('keeps names of inherited members as names like any other, and inherits none', () => {
    const query = parseQuery('__proto__=1&constructor=2&a=3&__proto__=4');
    expect(Object.entries(query)).toEqual([
      ['__proto__', ['1', '4']],
      ['constructor', '2'],
      ['a', '3'],
    ]);
    expect(query.toString).toBeUndefined();
  });

  test('of broken percent signs and of thousands of fields does no harm', () => {
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

test('header fields of a workflow: hop-by-hop, framing, cookies and malformed ones are left out', () => {
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
      'Alt-Svc': 'h3=":443"',
      Link: ['</a>; rel=preload', '</b>; rel=preload'],
      'X-Bad-List': ['fine', 'a\nb'],
    }),
  ).toEqual({
    'x-own': 'yes',
    'content-type': 'text/csv',
    'x-number': '4',
    link: ['</a>; rel=preload', '</b>; rel=preload'],
  });
});
