import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { AccessTokens } from '../../../services/auth/tokens';

const secret = Buffer.alloc(32, 7);
const subject = { user_id: 'u1', tenant_id: 't1', role: 'admin' } as const;
const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const pem = (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe.each([
  ['HS256', new AccessTokens({ kind: 'secret', secret })],
  ['EdDSA', new AccessTokens({ kind: 'private', pem: pem() })],
])('access tokens with %s', (algorithm, tokens) => {
  test('have the documented claims and a key id', async () => {
    const token = await tokens.issue(subject, 's1', NOW);
    expect(decodeProtectedHeader(token)).toEqual({
      alg: algorithm,
      typ: 'JWT',
      kid: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(decodeJwt(token)).toEqual({
      ...subject,
      sub: 'u1',
      iss: 'everstep',
      aud: 'everstep-api',
      iat: NOW / 1_000,
      exp: NOW / 1_000 + 12 * 3_600,
      jti: 's1',
    });
  });

  test('identify their user until they expire', async () => {
    const token = await tokens.issue(subject, 's1', NOW);
    expect(await tokens.verify(token, NOW + 11 * HOUR)).toEqual({
      user_id: 'u1',
      tenant_id: 't1',
      id: 's1',
      sso: false,
      issuedAt: NOW,
      expiresAt: NOW + 12 * HOUR,
    });
    expect(await tokens.verify(token, NOW + 12 * HOUR + 1_000)).toBeNull();
  });

  test('contain their issue time in milliseconds', async () => {
    const token = await tokens.issue(subject, 's1', NOW + 123);
    expect((await tokens.verify(token, NOW + 123))?.issuedAt).toBe(NOW + 123);
    expect(decodeJwt(token).exp).toBe(NOW / 1_000 + 12 * 3_600);
  });

  test('are refused when a character changes', async () => {
    const token = await tokens.issue(subject, 's1', NOW);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const other = Buffer.from(JSON.stringify({ ...decodeJwt(token), tenant_id: 't2' })).toString('base64url');
    expect(await tokens.verify(`${header}.${other}.${signature}`, NOW)).toBeNull();
    expect(await tokens.verify(`${header}.${payload}.`, NOW)).toBeNull();
    expect(await tokens.verify('no token', NOW)).toBeNull();
  });

  test('of another deployment are refused', async () => {
    const others = new AccessTokens({ kind: 'secret', secret: Buffer.alloc(32, 8) });
    expect(await tokens.verify(await others.issue(subject, 's1', NOW), NOW)).toBeNull();
  });
});

test('a token that says alg none is refused', async () => {
  const tokens = new AccessTokens({ kind: 'secret', secret });
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = decodeJwt(await tokens.issue(subject, 's1', NOW));
  expect(await tokens.verify(`${encode({ alg: 'none' })}.${encode(claims)}.`, NOW)).toBeNull();
});

test('a token with the public key as HMAC secret is refused (algorithm confusion)', async () => {
  const key = pem();
  const tokens = new AccessTokens({ kind: 'private', pem: key });
  const genuine = await tokens.issue(subject, 's1', NOW);
  const forged = await new SignJWT({ ...decodeJwt(genuine) })
    .setProtectedHeader({ ...decodeProtectedHeader(genuine), alg: 'HS256' })
    .sign(Buffer.from(key));
  expect(await tokens.verify(forged, NOW)).toBeNull();
});

describe('tokens after a change of the key', () => {
  const former = new AccessTokens({ kind: 'secret', secret });
  const pair = generateKeyPairSync('ed25519');
  const spki = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const now = new AccessTokens({ kind: 'private', pem: pem() }, [
    { kind: 'secret', secret },
    { kind: 'public', pem: spki },
  ]);

  test('are checked with the key of their kid and its algorithm', async () => {
    expect(await now.verify(await former.issue(subject, 's1', NOW), NOW)).toMatchObject({ user_id: 'u1' });
    const byPair = new AccessTokens({
      kind: 'private',
      pem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    });
    expect(await now.verify(await byPair.issue(subject, 's1', NOW), NOW)).toMatchObject({ user_id: 'u1' });
    expect(await former.verify(await now.issue(subject, 's1', NOW), NOW)).toBeNull();
  });

  test('are refused when a public key was used as a secret', async () => {
    const kid = now.publicKeys.find(({ x }) => x === pair.publicKey.export({ format: 'jwk' }).x)?.kid as string;
    const claims = decodeJwt(await former.issue(subject, 's1', NOW));
    for (const secretOfPublic of [spki, spki.trim(), pair.publicKey.export({ type: 'spki', format: 'der' })]) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid })
        .sign(Buffer.from(secretOfPublic));
      expect(await now.verify(forged, NOW)).toBeNull();
    }
  });

  test('with an unknown or malformed kid are refused', async () => {
    for (const kid of ['', 'none', '__proto__', 'constructor']) {
      const forged = await new SignJWT(decodeJwt(await former.issue(subject, 's1', NOW)))
        .setProtectedHeader({ alg: 'HS256', kid })
        .sign(secret);
      expect(await now.verify(forged, NOW)).toBeNull();
    }
  });
});
