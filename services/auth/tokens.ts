import { createHash, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { hmac } from '../../lib/crypto';
import { randomId } from '../../lib/ids';
import type { Keys } from '../../lib/keys';
import type { Role } from '../../mixins/principal';

const ISSUER = 'everstep';
const AUDIENCE = 'everstep-api';
const LIFETIME_SECONDS = 12 * 3_600;

/** Whom a token names. The role in it is for its bearer's eyes; what counts is the stored one. */
export interface TokenSubject {
  user_id: string;
  tenant_id: string;
  role: Role;
}

/** What a genuine token says. Times in milliseconds. */
export interface TokenContent {
  readonly user_id: string;
  readonly tenant_id: string;
  /** Its `jti`. */
  readonly id: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Issues and checks access tokens (JWT, RFC 7519) under one key, with the algorithm pinned by the key's kind. */
export class AccessTokens {
  readonly #algorithm: 'HS256' | 'EdDSA';
  readonly #kid: string;
  readonly #signing: KeyObject;
  readonly #verifying: KeyObject;

  constructor(key: Keys['jwt']) {
    if (key.kind === 'secret') {
      this.#algorithm = 'HS256';
      this.#signing = this.#verifying = createSecretKey(key.secret);
      this.#kid = hmac(key.secret, 'key id').toString('hex').slice(0, 16);
    } else {
      this.#algorithm = 'EdDSA';
      this.#signing = createPrivateKey(key.pem);
      this.#verifying = createPublicKey(key.pem);
      const der = this.#verifying.export({ type: 'spki', format: 'der' });
      this.#kid = createHash('sha256').update(der).digest('hex').slice(0, 16);
    }
  }

  issue(subject: TokenSubject, nowMs: number): Promise<string> {
    const issuedAt = nowMs / 1_000;
    return (
      new SignJWT({ user_id: subject.user_id, tenant_id: subject.tenant_id, role: subject.role })
        .setProtectedHeader({ alg: this.#algorithm, typ: 'JWT', kid: this.#kid })
        .setSubject(subject.user_id)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        // To the millisecond (RFC 7519 section 2, NumericDate): what ends earlier sessions spares the next one.
        .setIssuedAt(issuedAt)
        .setExpirationTime(Math.floor(issuedAt) + LIFETIME_SECONDS)
        .setJti(randomId())
        .sign(this.#signing)
    );
  }

  /** What the token says; null when it is forged, expired, for somebody else, or no token at all. */
  async verify(token: string, nowMs: number): Promise<TokenContent | null> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#verifying, {
        algorithms: [this.#algorithm],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp', 'iat', 'jti', 'sub'],
        currentDate: new Date(nowMs),
      });
      if (protectedHeader.kid !== this.#kid) return null;
      return contentOf(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}

function contentOf({ user_id, tenant_id, jti, iat, exp }: JWTPayload): TokenContent | null {
  if (typeof user_id !== 'string' || typeof tenant_id !== 'string' || jti === undefined) return null;
  if (iat === undefined || exp === undefined) return null;
  return { user_id, tenant_id, id: jti, issuedAt: Math.round(iat * 1_000), expiresAt: exp * 1_000 };
}
