import fc from 'fast-check';
import { Refusal, Replies, type Reply } from '../../../../nodes/storage/redis/wire';

const read = (...chunks: (string | Buffer)[]): Reply | undefined => {
  const replies = new Replies();
  let reply: Reply | undefined;
  for (const chunk of chunks) reply = replies.take(Buffer.from(chunk as string, 'latin1'));
  return reply;
};

const plain = (reply: Reply | undefined): unknown =>
  Buffer.isBuffer(reply) ? `bytes ${reply.toString()}` : Array.isArray(reply) ? reply.map(plain) : reply;

test.each([
  ['+OK\r\n', 'OK'],
  [':-7\r\n', -7],
  ['$5\r\nhello\r\n', 'bytes hello'],
  ['$0\r\n\r\n', 'bytes '],
  ['$-1\r\n', null],
  ['*-1\r\n', null],
  ['*0\r\n', []],
  ['*3\r\n$1\r\na\r\n*2\r\n:1\r\n*0\r\n$-1\r\n', ['bytes a', [1, []], null]],
  ['-ERR no\r\n', new Refusal('ERR no')],
])('%j is %j', (text, value) => {
  expect(plain(read(text))).toEqual(value);
  expect(plain(read(...text))).toEqual(value);
});

test('an incomplete reply waits for more data', () => {
  expect(read('*2\r\n$5\r\nhel')).toBeUndefined();
  expect(plain(read('*2\r\n$5\r\nhel', 'lo\r', '\n+b\r', '\n'))).toEqual(['bytes hello', 'b']);
});

test.each([
  '?\r\n',
  'HTTP/1.1 400 Bad Request\r\n',
  '$-2\r\n',
  '*-2\r\n',
  '$x\r\n',
  ':99999999999999999999\r\n',
  '+OK\r\n+OK\r\n',
  '*1\r\n'.repeat(17),
  `+${'x'.repeat(70_000)}`,
])('%j is invalid', (text) => {
  expect(() => read(text)).toThrow(Error);
});

test('a long list in small chunks is read in linear time', () => {
  const items = 200_000;
  const text = Buffer.from(`*${items}\r\n${'$1\r\na\r\n'.repeat(items)}`);
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; at += 1_000) pieces.push(text.subarray(at, at + 1_000));
  const began = performance.now();
  expect((read(...pieces) as Reply[]).length).toBe(items);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('the result is the same for any split into chunks', () => {
  const encode = (value: Reply): string =>
    value === null
      ? '$-1\r\n'
      : Array.isArray(value)
        ? `*${value.length}\r\n${value.map(encode).join('')}`
        : typeof value === 'number'
          ? `:${value}\r\n`
          : `$${String(value).length}\r\n${String(value)}\r\n`;
  const { reply } = fc.letrec<{ reply: Reply }>((tie) => ({
    reply: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.constant(null),
      fc.stringMatching(/^[a-z\r\n]*$/),
      fc.array(tie('reply') as fc.Arbitrary<Reply>, { maxLength: 4 }) as fc.Arbitrary<Reply>,
    ),
  }));
  const asBytes = (value: Reply): unknown =>
    typeof value === 'string' ? `bytes ${value}` : Array.isArray(value) ? value.map(asBytes) : value;
  fc.assert(
    fc.property(reply, fc.array(fc.nat(200), { maxLength: 10 }), (value, cuts) => {
      const text = encode(value);
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
      const chunks = places.slice(1).map((end, n) => text.slice(places[n], end));
      expect(plain(read(...chunks.filter((chunk) => chunk !== '')))).toEqual(asBytes(value));
    }),
  );
});
