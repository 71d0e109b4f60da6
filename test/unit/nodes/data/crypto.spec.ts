import { createDecipheriv } from 'node:crypto';
import type { JsonObject } from '../../../../lib/json';
import { cryptoNode } from '../../../../nodes/data/crypto';
import { createContext } from '../context';

const output = async (input: JsonObject): Promise<JsonObject> => {
  const outcome = await cryptoNode.run(createContext(input));
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.output;
};

const key = Buffer.alloc(32, 7);
const sealing = { key: key.toString('base64'), context: 'order 7' };

test('encrypted data is decrypted with the same key and context', async () => {
  const { value } = await output({ operation: 'encrypt', data: 'Grüße, 🌍', ...sealing });
  expect(await output({ operation: 'decrypt', data: value as string, ...sealing })).toEqual({ value: 'Grüße, 🌍' });
});

test('encrypted data is an iv, a tag and AES-256-GCM, so that other programs can decrypt it', async () => {
  const { value } = await output({ operation: 'encrypt', data: { a: 1 }, ...sealing });
  const bytes = Buffer.from(value as string, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from('order 7'));
  decipher.setAuthTag(bytes.subarray(12, 28));
  expect(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()).toBe('{"a":1}');
});

test('the same data is encrypted differently each time', async () => {
  const [first, second] = [
    await output({ operation: 'encrypt', data: 'a', ...sealing }),
    await output({ operation: 'encrypt', data: 'a', ...sealing }),
  ];
  expect(first).not.toEqual(second);
});

test.each(['another key', 'another context', 'a changed byte'])('with %s it does not open', async (what) => {
  const { value } = await output({ operation: 'encrypt', data: 'a', ...sealing });
  const bytes = Buffer.from(value as string, 'base64');
  if (what === 'a changed byte') bytes[bytes.length - 1]! ^= 1;
  const outcome = await cryptoNode.run(
    createContext({
      operation: 'decrypt',
      data: bytes.toString('base64'),
      key: what === 'another key' ? Buffer.alloc(32, 8).toString('base64') : sealing.key,
      context: what === 'another context' ? 'order 8' : sealing.context,
    }),
  );
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'not_decrypted' }, retryable: false });
});

test.each([
  ['hex', /^[0-9a-f]{10}$/],
  ['base64', /^[A-Za-z0-9+/]{7}=$/],
  ['base64url', /^[\w-]{7}$/],
])('random bytes are written in %s, and differ each time', async (encoding, form) => {
  const values = await Promise.all([1, 2].map(() => output({ operation: 'random', bytes: 5, encoding })));
  for (const { value } of values) expect(value).toMatch(form);
  expect(values[0]).not.toEqual(values[1]);
});

test('a UUID is one of version 4', async () => {
  const { value } = await output({ operation: 'uuid' });
  expect(value).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('data that is not text is not decrypted to broken characters', async () => {
  const { value } = await output({ operation: 'encrypt', data: 'ff', data_encoding: 'hex', ...sealing });
  const outcome = await cryptoNode.run(createContext({ operation: 'decrypt', data: value as string, ...sealing }));
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'not_decrypted' } });
});
