import { generateKeyPairSync } from 'node:crypto';
import fs, { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKeys } from '../../../lib/keys';

const text = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  String(key.export({ type: 'pkcs8', format: 'pem' }));

const previous = { master: [], jwt: [], principal: [] };

const load = (given: { jwtSecret?: string; jwtPrivateKey?: string }) =>
  loadKeys(
    {
      master: text(1),
      principal: text(2),
      jwtSecret: given.jwtSecret ?? null,
      jwtPrivateKey: given.jwtPrivateKey ?? null,
      previous,
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

describe('keys of a folder', () => {
  const none = { master: null, principal: null, jwtSecret: null, jwtPrivateKey: null, previous };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'everstep-keys-'));
  });

  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('are created once, readable by their owner only, and kept for later starts', () => {
    const data = join(folder, 'data');
    const first = loadKeys(none, data);
    expect(first.made).toBe(true);
    expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(readdirSync(data)).toEqual(['keys.json']);
    expect(loadKeys(none, data)).toEqual({ ...first, made: false });
  });

  it('of a process that created them concurrently are used, not overwritten', () => {
    const winner = loadKeys(none, folder);
    const missing = Object.assign(new Error('not there yet'), { code: 'ENOENT' });
    jest.spyOn(fs, 'readFileSync').mockImplementationOnce(() => {
      throw missing;
    });
    expect(loadKeys(none, folder)).toEqual({ ...winner, made: false });
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });
});
