import { createHash, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
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
    const issuedAt = Math.floor(nowMs / 1_000);
    return new SignJWT({ user_id: subject.user_id, tenant_id: subject.tenant_id, role: subject.role })
      .setProtectedHeader({ alg: this.#algorithm, typ: 'JWT', kid: this.#kid })
      .setSubject(subject.user_id)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .setJti(randomId())
      .sign(this.#signing);
  }

  /** Whom the token names; null when it is forged, expired, for somebody else, or no token at all. */
  async verify(token: string, nowMs: number): Promise<Pick<TokenSubject, 'user_id' | 'tenant_id'> | null> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#verifying, {
        algorithms: [this.#algorithm],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(nowMs),
      });
      const { user_id, tenant_id } = payload;
      if (protectedHeader.kid !== this.#kid || typeof user_id !== 'string' || typeof tenant_id !== 'string')
        return null;
      return { user_id, tenant_id };
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}
