import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { hmac, sha256 } from '../../lib/crypto';
import type { SigningKey, VerifyingKey } from '../../lib/keys';
import type { Role } from '../../lib/roles';

const ISSUER = 'everstep';
const AUDIENCE = 'everstep-api';
const LIFETIME_SECONDS = 12 * 3_600;
export const LIFETIME_MS = LIFETIME_SECONDS * 1_000;

/** Whom a token names. The role in it is for its bearer's eyes; what counts is the stored one. */
interface TokenSubject {
  user_id: string;
  tenant_id: string;
  role: Role;
  /** Whether the tenant's own identity provider has signed the user in. */
  sso?: boolean;
}

/** What a genuine token says. Times in milliseconds. */
export interface TokenContent {
  readonly user_id: string;
  readonly tenant_id: string;
  /** Its `jti`: the id of the session. */
  readonly id: string;
  readonly sso: boolean;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A key by which tokens are checked. The algorithm is pinned by the key's kind, never taken from a token. */
interface Verifier {
  readonly algorithm: 'HS256' | 'EdDSA';
  readonly kid: string;
  readonly key: KeyObject;
}

/** The public half of a signing key, as a JSON Web Key (RFC 7517, RFC 8037). */
interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  alg: string;
  use: string;
}

/**
 * Issues access tokens (JWT, RFC 7519) under the newest key and checks them under those before it as well: the token's
 * `kid` says which one, so that tokens outlive a change of the key until they expire.
 */
export class AccessTokens {
  readonly #signing: KeyObject;
  readonly #newest: Verifier;
  readonly #verifiers: ReadonlyMap<string, Verifier>;

  constructor(key: SigningKey, previous: readonly VerifyingKey[] = []) {
    this.#signing = key.kind === 'secret' ? createSecretKey(key.secret) : createPrivateKey(key.pem);
    this.#newest = key.kind === 'secret' ? bySecret(key.secret) : byPublic(createPublicKey(key.pem));
    const earlier = previous.map((one) =>
      one.kind === 'secret' ? bySecret(one.secret) : byPublic(createPublicKey(one.pem)),
    );
    this.#verifiers = new Map([...earlier, this.#newest].map((one) => [one.kid, one]));
  }

  /** Keys that others may check our tokens by; none where secrets sign. */
  get publicKeys(): PublicJwk[] {
    return [...this.#verifiers.values()]
      .filter(({ algorithm }) => algorithm === 'EdDSA')
      .map(({ key, kid, algorithm }) => {
        // An Ed25519 public key always has these members (RFC 8037 section 2).
        const { kty, crv, x } = key.export({ format: 'jwk' }) as Pick<PublicJwk, 'kty' | 'crv' | 'x'>;
        return { kty, crv, x, kid, alg: algorithm, use: 'sig' };
      });
  }

  issue(subject: TokenSubject, sessionId: string, nowMs: number): Promise<string> {
    const issuedAt = nowMs / 1_000;
    return (
      new SignJWT({
        user_id: subject.user_id,
        tenant_id: subject.tenant_id,
        role: subject.role,
        ...(subject.sso === true ? { sso: true } : {}),
      })
        .setProtectedHeader({ alg: this.#newest.algorithm, typ: 'JWT', kid: this.#newest.kid })
        .setSubject(subject.user_id)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        // To the millisecond (RFC 7519 section 2, NumericDate): what ends earlier sessions spares the next one.
        .setIssuedAt(issuedAt)
        .setExpirationTime(Math.floor(issuedAt) + LIFETIME_SECONDS)
        .setJti(sessionId)
        .sign(this.#signing)
    );
  }

  /** The claims of a token; null when it is invalid, expired or for another audience. */
  async verify(token: string, nowMs: number): Promise<TokenContent | null> {
    try {
      const verifier = this.#verifiers.get(String(decodeProtectedHeader(token).kid));
      if (verifier === undefined) return null;
      const { payload } = await jwtVerify(token, verifier.key, {
        algorithms: [verifier.algorithm],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp', 'iat', 'jti', 'sub'],
        currentDate: new Date(nowMs),
      });
      return contentOf(payload);
    } catch (error) {
      // The header's decoder throws a TypeError for what is no token.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }
}

const bySecret = (secret: Buffer): Verifier => ({
  algorithm: 'HS256',
  kid: hmac(secret, 'key id').toString('hex').slice(0, 16),
  key: createSecretKey(secret),
});

function byPublic(key: KeyObject): Verifier {
  const der = key.export({ type: 'spki', format: 'der' });
  return { algorithm: 'EdDSA', kid: sha256(der).slice(0, 16), key };
}

function contentOf({ user_id, tenant_id, sso, jti, iat, exp }: JWTPayload): TokenContent | null {
  if (typeof user_id !== 'string' || typeof tenant_id !== 'string' || jti === undefined) return null;
  if (iat === undefined || exp === undefined) return null;
  return { user_id, tenant_id, id: jti, sso: sso === true, issuedAt: Math.round(iat * 1_000), expiresAt: exp * 1_000 };
}
