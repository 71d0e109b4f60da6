import { decodeJwt } from 'jose';
import { isObject } from '../../../lib/json';

/**
 * The claims of an ID token from the token endpoint. They only label the account and grant no access, so the signature is
 * not checked: TLS is sufficient (OpenID Connect Core 1.0 section 3.1.3.7, point 6).
 */
export function claimsOf(token: string | null): Record<string, unknown> {
  try {
    const claims: unknown = token === null ? {} : decodeJwt(token);
    return isObject(claims) ? claims : {};
  } catch {
    // The tokens are valid without an ID token.
    return {};
  }
}
