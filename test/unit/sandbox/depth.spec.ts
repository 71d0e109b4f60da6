import fc from 'fast-check';
import { depthOf } from '../../../lib/sandbox/depth';

const depth = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;

describe('the depth of a JSON text', () => {
  it.each([
    ['null', 0],
    ['[]', 1],
    ['{"a":[{}]}', 3],
    ['[[],[[]]]', 3],
    ['["[[["]', 1],
    [String.raw`["\"[[", "\\", [1]]`, 2],
    [String.raw`{"\\\"[{": 1}`, 1],
  ])('%s is %d deep', (text, expected) => {
    expect(depthOf(text)).toBe(expected);
  });

  it('is that of the value', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'grapheme' }),
        tie('list'),
        tie('object'),
        fc.constant('\\"['),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(fc.property(value, (made) => expect(depthOf(JSON.stringify(made))).toBe(depth(made))));
  });
});
