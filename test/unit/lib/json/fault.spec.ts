import fc from 'fast-check';
import { faultOffset, syntaxError } from '../../../../lib/json/json-fault';

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
    expect(syntaxError(text, faultOffset(text) as number).refusal).toMatchObject({ line, column });
  });

  // Bounded by the test's own time-out alone: a look that takes exponential time never ends.
  test.each([
    ['plain characters', 'a'.repeat(900_000)],
    ['escapes', '\\n'.repeat(450_000)],
    ['plain characters and escapes in turn', 'ab\\u00e9'.repeat(100_000)],
  ])('is found in linear time in an unclosed string of %s', (_what, inside) => {
    expect(faultOffset(`{"a":"${inside}`)).toBe(5);
  });

  test('equals the place that the runtime reports', () => {
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
          expect(faultOffset(text) === null).toBe(valid);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('does not exist for a valid text', () => {
    fc.assert(fc.property(fc.json(), (text) => expect(faultOffset(text)).toBeNull()));
  });
});
