import { CASE_SECRET, type NodeCase } from '../node-case';

const value = (result: string): NodeCase['outcome'] => ({ kind: 'done', output: { value: result } });
const valid = (result: boolean): NodeCase['outcome'] => ({ kind: 'done', output: { valid: result } });
const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

/** RFC 4231, test case 2. */
const SIGNED = { data: 'what do ya want for nothing?', key: 'Jefe' };
const SIGNATURE = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
const KEY = Buffer.alloc(32, 7).toString('base64');

export const cases: NodeCase[] = [
  {
    title: 'a text is hashed as it is',
    input: { operation: 'hash', data: 'abc' },
    outcome: value('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'),
  },
  {
    title: 'another value is hashed as JSON',
    input: { operation: 'hash', data: { a: 1 }, algorithm: 'md5', encoding: 'base64url' },
    outcome: value('u2y1xo30ZSlByvZSo2by2A'),
  },
  {
    title: 'text may stand for bytes',
    input: { operation: 'hash', data: '616263', data_encoding: 'hex', algorithm: 'sha1' },
    outcome: value('a9993e364706816aba3e25717850c26c9cd0d89d'),
  },
  { title: 'data is signed with a key', input: { operation: 'hmac', ...SIGNED }, outcome: value(SIGNATURE) },
  {
    title: 'a key may stand for bytes',
    input: { operation: 'hmac', data: SIGNED.data, key: '4a656665', key_encoding: 'hex' },
    outcome: value(SIGNATURE),
  },
  {
    title: 'a signature is checked',
    input: { operation: 'verify_hmac', ...SIGNED, signature: SIGNATURE.toUpperCase() },
    outcome: valid(true),
  },
  {
    title: 'a signature of other data is not valid',
    input: { operation: 'verify_hmac', ...SIGNED, data: 'what?', signature: SIGNATURE },
    outcome: valid(false),
  },
  {
    title: 'what is cut off is not valid',
    input: { operation: 'verify_hmac', ...SIGNED, signature: SIGNATURE.slice(0, 32) },
    outcome: valid(false),
  },
  {
    title: 'what is no signature is not valid',
    input: { operation: 'verify_hmac', ...SIGNED, signature: 'sha256=none', encoding: 'base64' },
    outcome: valid(false),
  },
  {
    title: 'data that was not sealed with the key does not open',
    input: { operation: 'decrypt', data: Buffer.alloc(60).toString('base64'), key: KEY },
    outcome: refused('not_decrypted', 'does not open'),
  },
  {
    title: 'data that is too short does not open',
    input: { operation: 'decrypt', data: '', key: KEY },
    outcome: refused('not_decrypted', 'does not open'),
  },
  {
    title: 'data that is not base64 is refused',
    input: { operation: 'decrypt', data: '***', key: KEY },
    outcome: refused('invalid_config', '"data" is not base64'),
  },
  {
    title: 'a short key is refused, without showing it',
    input: { operation: 'encrypt', data: 'a', key: CASE_SECRET, key_encoding: 'utf8' },
    outcome: refused('invalid_config', '"key" has 12 bytes, but AES-256 takes 32'),
  },
  {
    title: 'a key of another writing is refused, without showing it',
    input: { operation: 'hmac', data: 'a', key: CASE_SECRET, key_encoding: 'hex' },
    outcome: refused('invalid_config', '"key" is not hex'),
  },
];
