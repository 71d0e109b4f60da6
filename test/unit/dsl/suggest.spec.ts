import fc from 'fast-check';
import { didYouMean, editDistance, nearest } from '../../../dsl/suggest';

test.each([
  ['http_requst', 'http_request'],
  ['HttpRequest', 'http_request'],
  ['http-request', 'http_request'],
  ['wiat', 'wait'],
  ['ste', 'set'],
  ['stpo', 'stop'],
  ['zzzz', null],
  ['htt', 'http_request'],
  ['b', null],
  ['', null],
  ['x'.repeat(100), null],
])('%s is taken for %s', (word, expected) => {
  expect(nearest(word, ['http_request', 'wait', 'set', 'stop', 'a'])).toBe(expected);
});

test('the nearest wins, the first of equals', () => {
  expect(nearest('abcdef', ['abcxyf', 'abcdxf', 'abcdef1'])).toBe('abcdxf');
});

test('a sentence when there is one', () => {
  expect(didYouMean('wiat', ['wait'])).toBe('did you mean "wait"?');
  expect(didYouMean('other', ['wait'])).toBeUndefined();
});

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 1],
  ['abcd', 'acbd', 1],
])('from %s to %s it takes %i', (a, b, expected) => {
  expect(editDistance(a, b)).toBe(expected);
});

test('distance is symmetric, zero only for equals, and at most the longer length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
