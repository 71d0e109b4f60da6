import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decodeBody } from '../../../lib/egress/decode';

const plain = Buffer.from('hello '.repeat(100));
const LIMIT = 1_000_000;

describe('undoing content encodings', () => {
  test.each([
    ['', plain],
    ['identity', plain],
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['GZIP', gzipSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['deflate, gzip', gzipSync(deflateSync(plain))],
  ])('%j', async (encoding, body) => expect(await decodeBody(body, encoding, LIMIT)).toEqual(plain));

  test('an empty body stays empty', async () =>
    expect(await decodeBody(Buffer.alloc(0), 'gzip', LIMIT)).toHaveLength(0));

  test('an encoding that was not offered leaves the bytes', async () =>
    expect(await decodeBody(plain, 'zstd', LIMIT)).toEqual(plain));

  test.each([
    ['gzip', gzipSync(Buffer.alloc(2_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(2_000_000))],
    ['deflate', deflateSync(Buffer.alloc(2_000_000))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(2_000_000)))],
  ])('a %s bomb is cut', async (encoding, body) => {
    expect(body.length).toBeLessThan(10_000);
    await expect(decodeBody(body, encoding, LIMIT)).rejects.toMatchObject({ kind: 'too_large', retryable: false });
  });

  test('truncated data is an error, not a shorter body', async () => {
    await expect(decodeBody(gzipSync(plain).subarray(0, 20), 'gzip', LIMIT)).rejects.toMatchObject({
      kind: 'protocol',
    });
  });

  test('too many layers are refused', async () => {
    await expect(decodeBody(plain, 'gzip,gzip,gzip,gzip', LIMIT)).rejects.toMatchObject({ kind: 'protocol' });
  });
});
