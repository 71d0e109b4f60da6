import { decodeBase64 } from '../../../lib/base64';

test.each([
  ['', ''],
  ['aGVsbG8=', 'hello'],
  [' aGVs\r\nbG8g\tPT0= ', 'hello =='],
  ['/+8=', Buffer.from([0xff, 0xef]).toString('latin1')],
])('%j is %j', (text, bytes) => {
  expect(decodeBase64(text)?.toString('latin1')).toBe(bytes);
});

test.each(['a', 'aGVsbG8', 'aGVs=bG8', 'a===', '====', 'aGVsbG8-', 'aGVsbG_v', 'hello!!!', 'a=b='])(
  '%j is none',
  (text) => {
    expect(decodeBase64(text)).toBeNull();
  },
);

test('ten million bytes are decoded quickly', () => {
  const bytes = Buffer.alloc(10 * 1024 * 1024, 1);
  expect(decodeBase64(bytes.toString('base64'))?.equals(bytes)).toBe(true);
});
