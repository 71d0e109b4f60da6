import { claimsOf } from './id-token';
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
