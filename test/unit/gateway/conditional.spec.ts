import fc from 'fast-check';
import { choose, type Conditions } from '../../../services/api-gateway/http/conditional';
import { dispositionOf } from '../../../services/api-gateway/http/disposition';

const NONE: Conditions = {
  method: 'GET',
  ifMatch: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
  ifRange: undefined,
  range: undefined,
};

test('any range of a request is answered within the file', () => {
  const text = fc.option(
    fc.oneof(
      fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=1-0', '*', '"e"', 'W/"e"', 'Thu, 01 Jan 1970 00:00:01 GMT'),
      fc.tuple(fc.nat(20), fc.nat(20)).map(([a, b]) => `bytes=${a}-${b}`),
      fc.string({ maxLength: 10 }),
    ),
    { nil: undefined },
  );
  const given = fc.record({
    method: fc.constantFrom('GET', 'HEAD'),
    ifMatch: text,
    ifNoneMatch: text,
    ifModifiedSince: text,
    ifUnmodifiedSince: text,
    ifRange: text,
    range: text,
  });
  fc.assert(
    fc.property(fc.nat(20), given, (size, conditions) => {
      const chosen = choose({ size, etag: '"e"', modified: 1_000 }, conditions);
      if (chosen.kind !== 'part') return;
      expect(chosen.first).toBeGreaterThanOrEqual(0);
      expect(chosen.first).toBeLessThanOrEqual(chosen.last);
      expect(chosen.last).toBeLessThan(size);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['bytes=0-0', { kind: 'part', first: 0, last: 0 }],
  ['BYTES=0-0', { kind: 'part', first: 0, last: 0 }],
  ['bytes=-5', { kind: 'part', first: 5, last: 9 }],
  ['bytes=9-', { kind: 'part', first: 9, last: 9 }],
  ['bytes=10-', { kind: 'unsatisfiable' }],
  ['bytes=-0', { kind: 'unsatisfiable' }],
  ['bytes=0-1, 3-4', { kind: 'whole' }],
])('of ten bytes, %s is %j', (range, expected) => {
  expect(choose({ size: 10, etag: '"e"', modified: 0 }, { ...NONE, range })).toEqual(expected);
});

test.each([
  ['a.png', 'image/png', `inline; filename="a.png"; filename*=UTF-8''a.png`],
  ['a.html', 'text/html', `attachment; filename="a.html"; filename*=UTF-8''a.html`],
  ['a.svg', 'IMAGE/SVG+XML', `attachment; filename="a.svg"; filename*=UTF-8''a.svg`],
  ['a"b\\c', 'x/y', `attachment; filename="a_b_c"; filename*=UTF-8''a%22b%5Cc`],
  ["it's (1)*.txt", 'text/plain', `inline; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
  ['\u65e5\u672c', 'x/y', `attachment; filename="__"; filename*=UTF-8''%E6%97%A5%E6%9C%AC`],
])('%s of the type %s is %s', (name, type, expected) => expect(dispositionOf(name, type)).toBe(expected));

test('no name makes the header malformed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      expect(dispositionOf(name, 'x/y')).toMatch(
        /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w.!~%-]*$/,
      );
    }),
    { numRuns: 2_000 },
  );
});
