import type { JsonLimits } from '../../../../lib/json/limits';
import { parseJsonSliced } from '../../../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../../../lib/json/stringify-sliced';
import { STALL_MS, stallMs } from '../../../support/stall';

const MIB = 1024 * 1024;
const LIMITS: JsonLimits = { depth: 64, values: 1_000_000, members: 30_000, unicode: true };

const list = (length: number, item: (index: number) => string): string =>
  Array.from({ length }, (_, n) => item(n)).join(',');

describe('JSON of megabytes', () => {
  it.each([
    ['small objects', `[${list(150_000, (n) => `{"id":${n},"name":"name ${n}","tags":[1,"a"]}`)}]`],
    ['long objects', `[${list(100_000, (n) => `{"id":${n},"text":"${'text '.repeat(25)}"}`)}]`],
    ['objects of many members', `[${list(20, (m) => `{${list(30_000, (n) => `"key${m}-${n}":${n}`)}}`)}]`],
    ['empty objects', `[${'{},'.repeat(900_000)}0]`],
    ['one string', JSON.stringify('x\n'.repeat(5 * MIB))],
    ['one string of other scripts', JSON.stringify({ text: 'ü😀'.repeat(2 * MIB) })],
    ['one number', '1'.repeat(16 * MIB)],
    ['nested lists', `[${list(1_000, () => '['.repeat(60) + '"x",'.repeat(200) + '0' + ']'.repeat(60))}]`],
  ])('of %s is parsed and written without a stall', async (_, text) => {
    const bytes = Buffer.from(text);
    let value: unknown;
    expect(await stallMs(async () => (value = await parseJsonSliced(bytes, LIMITS)))).toBeLessThan(STALL_MS);
    let written: string | undefined;
    expect(await stallMs(async () => (written = await stringifyJsonSliced(value)))).toBeLessThan(STALL_MS);
    expect(written === JSON.stringify(JSON.parse(text))).toBe(true);
  });

  it.each([
    ['6 MiB of brackets', '['.repeat(6 * MIB)],
    ['400,000 members of one object', `{${list(400_000, (n) => `"key${n}":${n}`)}}`],
    ['a fault at the end', `[${'0,'.repeat(450_000)}x]`],
    ['a string that does not end', `["${'\\"'.repeat(4 * MIB)}`],
  ])('%s are refused without a stall', async (_, text) => {
    const bytes = Buffer.from(text);
    const refused = (): Promise<void> =>
      parseJsonSliced(bytes, LIMITS).then(
        () => Promise.reject(new Error('It was taken')),
        () => undefined,
      );
    expect(await stallMs(refused)).toBeLessThan(STALL_MS);
  });

  it('is parsed for several callers at once in slices of one', async () => {
    const bytes = Buffer.from(`[${list(100_000, (n) => `{"id":${n},"name":"name ${n}"}`)}]`);
    const all = (): Promise<unknown> => Promise.all(Array.from({ length: 8 }, () => parseJsonSliced(bytes, LIMITS)));
    expect(await stallMs(all)).toBeLessThan(STALL_MS);
  });
});
