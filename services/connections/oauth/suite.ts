import { decodeJwt } from 'jose';
import { isObject } from '../../../lib/json';
import { type Dialect, plainError, plainTokens, textIn, wordsIn } from './dialect';

/** OAuth 2.0 with OpenID Connect beside it, as Google Workspace speaks it: code flow, PKCE, refresh tokens. */
export const suite: Dialect = {
  title: 'The suite',
  pkce: true,
  separator: ' ',
  ownScopes: ['openid', 'email'],
  // A refresh token comes only with both, and again only when the person is asked again.
  authorize: { access_type: 'offline', prompt: 'consent' },
  authentication: 'post',
  body: 'form',
  revocation: 'rfc7009',
  tokens(body) {
    const tokens = plainTokens(body);
    if (tokens === null) return null;
    const claims = claimsOf(textIn(body, 'id_token'));
    return { ...tokens, subject: wordsIn(claims, 'sub'), account: wordsIn(claims, 'email') ?? wordsIn(claims, 'sub') };
  },
  errorOf: plainError,
  ended: new Set(['invalid_grant']),
};

/**
 * What an ID token says, straight from the token endpoint. It only names the account for people, and lets nobody in, so
 * TLS is enough (OpenID Connect Core 1.0 section 3.1.3.7, point 6).
 */
function claimsOf(token: string | null): Record<string, unknown> {
  try {
    const claims: unknown = token === null ? {} : decodeJwt(token);
    return isObject(claims) ? claims : {};
  } catch {
    // The tokens count without it.
    return {};
  }
}
