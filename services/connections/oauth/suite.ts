import { decodeJwt } from 'jose';
import { isObject } from '../../../lib/json';
import { type ProviderProfile, plainError, plainTokens, textIn, labelIn } from './provider-profile';

/** OAuth 2.0 with OpenID Connect of Google Workspace: code flow, PKCE, refresh tokens. */
export const suite: ProviderProfile = {
  title: 'The suite',
  pkce: true,
  separator: ' ',
  ownScopes: ['openid', 'email'],
  // Both are needed for a refresh token; without consent a repeated authorization returns none.
  authorize: { access_type: 'offline', prompt: 'consent' },
  authentication: 'post',
  body: 'form',
  revocation: 'rfc7009',
  tokens(body) {
    const tokens = plainTokens(body);
    if (tokens === null) return null;
    const claims = claimsOf(textIn(body, 'id_token'));
    return { ...tokens, subject: labelIn(claims, 'sub'), account: labelIn(claims, 'email') ?? labelIn(claims, 'sub') };
  },
  errorOf: plainError,
  revokedCodes: new Set(['invalid_grant']),
};

/**
 * The claims of an ID token from the token endpoint. They only label the account and grant no access, so the signature is
 * not checked: TLS is sufficient (OpenID Connect Core 1.0 section 3.1.3.7, point 6).
 */
function claimsOf(token: string | null): Record<string, unknown> {
  try {
    const claims: unknown = token === null ? {} : decodeJwt(token);
    return isObject(claims) ? claims : {};
  } catch {
    // The tokens are valid without an ID token.
    return {};
  }
}
