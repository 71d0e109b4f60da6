import { type ProviderProfile, plainError, plainTokens, textIn, labelIn } from './provider-profile';

/** OAuth of Notion: Basic authentication and a JSON body at the token endpoint; tokens do not expire. */
export const notes: ProviderProfile = {
  title: 'The notes provider',
  pkce: false,
  separator: ' ',
  ownScopes: [],
  authorize: { owner: 'user' },
  authentication: 'basic',
  body: 'json',
  revocation: 'rfc7009',
  tokens(body) {
    const tokens = plainTokens(body);
    if (tokens === null) return null;
    const extra = ['workspace_id', 'bot_id'].flatMap((name): [string, string][] => {
      const value = textIn(body, name);
      return value === null ? [] : [[name, value]];
    });
    return {
      ...tokens,
      extra: Object.fromEntries(extra),
      // Each authorization has one bot per workspace and integration.
      subject: labelIn(body, 'bot_id'),
      account: labelIn(body, 'workspace_name') ?? labelIn(body, 'workspace_id'),
    };
  },
  errorOf: plainError,
  revokedCodes: new Set(['invalid_grant']),
};
