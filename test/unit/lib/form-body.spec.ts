import fc from 'fast-check';
import { parseForm } from '../../../lib/http-body/form';
import { stallMs } from '../../support/stall';

const MIB = 1024 * 1024;
const wanted = (text: string) => {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
};

describe('a form of megabytes', () => {
  const piece = fc.constantFrom('a', '=', '&', '+', '%', '%4', '%41', '%c3%a4', '%ff', '%zz', '__proto__', '%26');
  const filler = 'f='.padEnd(70_000, 'x');

  test('has the same fields as URLSearchParams', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const text = `${pieces.join('')}&${filler}`;
        expect({ ...(await parseForm(Buffer.from(text), null)) }).toEqual(wanted(text));
      }),
    );
  });

  test.each([
    ['percent signs', `a=${'%41'.repeat(5 * MIB)}`],
    ['blanks', `a=${'+'.repeat(15 * MIB)}`],
    ['other scripts', `a=${'ü'.repeat(7 * MIB)}`],
  ])('of %s is parsed without a stall', async (_, text) => {
    const bytes = Buffer.from(text);
    const parse = async (): Promise<void> => {
      await parseForm(bytes, null);
    };
    await parse();
    expect(await stallMs(parse)).toBeLessThan(50);
  });

  test('of millions of fields is refused before they are parsed', async () => {
    const bytes = Buffer.from('a&'.repeat(8 * MIB));
    const refused = (): Promise<void> => expect(parseForm(bytes, null)).rejects.toThrow('At most 1000');
    expect(await stallMs(refused)).toBeLessThan(50);
  });

  test('that is not UTF-8 is refused', async () => {
    await expect(parseForm(Buffer.from([0x61, 0x3d, 0xff]), null)).rejects.toMatchObject({ type: 'invalid_request' });
  });
});
