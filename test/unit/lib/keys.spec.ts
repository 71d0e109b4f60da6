import { generateKeyPairSync } from 'node:crypto';
import { loadKeys } from '../../../lib/keys';

const text = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));

const load = (given: { jwtSecret?: string; jwtPrivateKey?: string }) =>
  loadKeys(
    {
      master: text(1),
      principal: text(2),
      jwtSecret: given.jwtSecret ?? null,
      jwtPrivateKey: given.jwtPrivateKey ?? null,
    },
    '/nonexistent',
  );

describe('keys of the environment', () => {
  it('take an Ed25519 private key, also with its line breaks written as \\n', () => {
    const key = pem(generateKeyPairSync('ed25519').privateKey);
    expect(load({ jwtPrivateKey: key.replaceAll('\n', '\\n') }).keys.jwt).toEqual({ kind: 'private', pem: key });
  });

  it.each([
    ['text that is no key', () => 'no key'],
    ['a key of another kind', () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
  ])('refuse %s, naming the variable', (_what, make) => {
    expect(() => load({ jwtPrivateKey: make() })).toThrow(/JWT_PRIVATE_KEY must hold an Ed25519/);
  });

  it('refuse a secret that is too short', () => {
    expect(() => load({ jwtSecret: 'short' })).toThrow(/JWT_SECRET must hold at least 32 bytes/);
  });
});
