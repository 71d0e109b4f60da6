import fc from 'fast-check';
import { readZip, ZipError, type ZipLimits } from '../../../lib/zip';
import { type ZipFile, type ZipShape, zip } from '../../support/zip';

const MIB = 1024 * 1024;
const LIMITS: ZipLimits = { entries: 100, entryBytes: 8 * MIB, totalBytes: 16 * MIB, ratio: 100 };

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'read';
  } catch (fault) {
    if (fault instanceof ZipError) return fault.code;
    throw fault;
  }
};
/** What becomes of an archive whose entries are all unzipped. */
const outcome = (bytes: Uint8Array, limits: Partial<ZipLimits> = {}): string =>
  codeOf(() => readZip(bytes, { ...LIMITS, ...limits }).map((entry) => entry.content()));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

test('entries come in the order of the directory, with their content', () => {
  const bytes = zip(
    [
      { name: 'a/', content: '', mode: 0o040755, stored: true },
      { name: 'a/ä.txt', content: 'some text '.repeat(50) },
      { name: 'b', content: 'stored', stored: true },
      { name: 'streamed', content: 'sizes come later', descriptor: true },
      { name: 'link', content: '/etc/passwd', mode: 0o120777 },
      { name: 'empty', content: '' },
      { name: '../../__proto__', content: 'a label' },
    ],
    { comment: 'made by hand' },
  );
  const entries = readZip(bytes, LIMITS);
  expect(entries.map(({ name }) => name)).toEqual([
    'a/',
    'a/ä.txt',
    'b',
    'streamed',
    'link',
    'empty',
    '../../__proto__',
  ]);
  expect(entries.map((entry) => textOf(entry.content()).length)).toEqual(entries.map(({ size }) => size));
  expect(textOf(entries[3]!.content())).toBe('sizes come later');
  expect(entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name)).toEqual(['a/']);
  expect(entries.filter(({ isSymlink }) => isSymlink).map(({ name }) => name)).toEqual(['link']);
});

/** Made by Python's zipfile. */
const BY_ANOTHER = Buffer.from(
  'UEsDBBQAAAgIAAAAIVjBNwxAIwAAAHAXAAALAAAAZ3LDvMOfZS50eHTtxDENAAAIAzArmCPhWIL/DxG87dHpZGts27Zt27Zt2/bj' +
    'A1BLAwQUAAAACAAAACFYaSLeNgQAAAACAAAACAAAAGZvbGRlci94Y2AEAFBLAQIUAxQAAAgIAAAAIVjBNwxAIwAAAHAXAAALAAAA' +
    'AAAAAAAAAACAAQAAAABncsO8w59lLnR4dFBLAQIUAxQAAAAIAAAAIVhpIt42BAAAAAIAAAAIAAAAAAAAAAAAAACAAUwAAABmb2xk' +
    'ZXIveFBLBQYAAAAAAgACAG8AAAB2AAAAAAA=',
  'base64',
);

test('an archive of another program is read', () => {
  const entries = readZip(BY_ANOTHER, LIMITS);
  expect(entries.map(({ name, size }) => [name, size])).toEqual([
    ['grüße.txt', 6_000],
    ['folder/x', 2],
  ]);
  expect(textOf(entries[0]!.content())).toBe('hello '.repeat(1_000));
});

const one = (file: Partial<ZipFile>, shape: ZipShape = {}): Buffer<ArrayBuffer> =>
  zip([{ name: 'a', content: 'some content', ...file }], shape);
const patched = (bytes: Buffer<ArrayBuffer>, fromEnd: number, value: number): Buffer => {
  bytes.writeUInt16LE(value, bytes.length - fromEnd);
  return bytes;
};

test.each<[string, Uint8Array, string]>([
  ['nothing', new Uint8Array(), 'not_a_zip'],
  ['something else', Buffer.from('PK\x03\x04 and so on'.repeat(20)), 'not_a_zip'],
  ['trailing bytes', Buffer.concat([one({}), Buffer.from('x')]), 'not_a_zip'],
  ['leading bytes', Buffer.concat([Buffer.from('x'), one({})]), 'broken'],
  ['an encrypted entry', one({ flags: 1 }), 'encrypted'],
  ['another method', one({ lies: { method: 14 } }), 'unsupported'],
  ['ZIP64', patched(one({}), 12, 0xffff), 'unsupported'],
  ['several disks', patched(one({}), 18, 3), 'unsupported'],
  ['fewer entries than announced', one({}, { count: 2 }), 'broken'],
  ['more entries than announced', one({}, { count: 0 }), 'broken'],
  ['a size too small', one({ lies: { size: 3 } }), 'broken'],
  ['a size too large', one({ lies: { size: 300 } }), 'broken'],
  ['a stored size that differs', one({ stored: true, lies: { size: 300 } }), 'broken'],
  ['content that ends too soon', one({ lies: { compressedSize: 5 } }), 'broken'],
  ['content past the directory', one({ lies: { compressedSize: 5_000 } }), 'broken'],
  ['a wrong checksum', one({ lies: { crc: 1 } }), 'broken'],
  ['an offset out of the file', one({ lies: { offset: 0x7fffffff } }), 'broken'],
  ['an offset of no entry', one({ lies: { offset: 3 } }), 'broken'],
  ['two names for one entry', one({ localName: 'b' }), 'broken'],
  ['a NUL in a name', one({ name: 'a\0b' }), 'broken'],
  ['a name that is no text', one({ name: Buffer.from([0xff, 0xfe]) }), 'broken'],
  ['no name', one({ name: '' }), 'broken'],
  ['the same name twice', zip([1, 2].map((n) => ({ name: 'a', content: `${n}` }))), 'broken'],
])('%s: refused', (_what, bytes, code) => {
  expect(outcome(bytes)).toBe(code);
});

test('entries cannot share content', () => {
  const inner = { name: 'b', content: 'x'.repeat(100), stored: true };
  const outer = { name: 'a', content: zip([inner]).subarray(0, 131), stored: true };
  const shared = zip([outer, { ...inner, lies: { offset: 31 } }]);
  expect(() => readZip(shared, LIMITS)).toThrow('overlap');
});

test('limits are checked before decompression', () => {
  const many = Array.from({ length: 101 }, (_, n) => ({ name: `${n}`, content: '' }));
  expect(outcome(zip(many))).toBe('too_many_entries');
  expect(outcome(one({ content: 'a'.repeat(101) }), { entryBytes: 100 })).toBe('too_large');
  expect(outcome(one({ lies: { size: 0xfffffffe } }))).toBe('too_large');
  const some = [1, 2, 3].map((n) => ({ name: `${n}`, content: 'a'.repeat(40) }));
  expect(outcome(zip(some), { totalBytes: 119 })).toBe('too_large');
  expect(outcome(zip(some), { totalBytes: 120 })).toBe('read');
  const zeros = new Uint8Array(2 * MIB);
  expect(outcome(one({ content: zeros }))).toBe('too_large');
  expect(outcome(one({ content: zeros }), { ratio: 1_032 })).toBe('read');
});

test('any bytes are read or refused with a code', () => {
  const whole = zip([
    { name: 'a', content: 'some text '.repeat(20) },
    { name: 'b', content: 'more', stored: true },
    { name: 'c', content: 'streamed', descriptor: true },
  ]);
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), fc.nat(whole.length), (changes, length) => {
      const bytes = Uint8Array.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      expect(outcome(bytes)).toMatch(/^(read|not_a_zip|encrypted|unsupported|too_many_entries|too_large|broken)$/);
      if (length < whole.length) expect(outcome(bytes.subarray(0, length))).not.toBe('read');
    }),
    { numRuns: 1_000 },
  );
});
