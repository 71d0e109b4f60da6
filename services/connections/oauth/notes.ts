import { type Dialect, plainError, plainTokens, textIn, wordsIn } from './dialect';

/** As Notion speaks it: Basic authentication and a JSON body at the token endpoint; tokens without an end. */
export const notes: Dialect = {
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
      // The bot is the authorization's own: one for each workspace and integration.
      subject: wordsIn(body, 'bot_id'),
      account: wordsIn(body, 'workspace_name') ?? wordsIn(body, 'workspace_id'),
    };
  },
  errorOf: plainError,
  ended: new Set(['invalid_grant']),
};
