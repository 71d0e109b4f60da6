import { isObject } from '../../../lib/json';
import { type Dialect, lifetimeIn, plainTokens, textIn, wordsIn } from './dialect';

type Body = Record<string, unknown>;

/** As Slack speaks OAuth v2: `ok` beside status 200, a bot's token, a user's token inside, rotation for who wants it. */
export const chat: Dialect = {
  title: 'The chat provider',
  pkce: false,
  separator: ',',
  ownScopes: [],
  authorize: {},
  authentication: 'post',
  body: 'form',
  revocation: 'bearer',
  tokens(body) {
    if (body.ok !== true) return null;
    const user = memberOf(body, 'authed_user');
    const team = memberOf(body, 'team');
    // Of an app that asked for a user's scopes alone, the user's token is all there is.
    const tokens = plainTokens(body) ?? plainTokens(user);
    if (tokens === null) return null;
    const userToken = textIn(user, 'access_token');
    const teamId = textIn(team, 'id');
    const who = textIn(body, 'bot_user_id') ?? textIn(user, 'id');
    const extra: [string, string | null][] = [
      ['bot_user_id', textIn(body, 'bot_user_id')],
      ['team_id', teamId],
      // One that ends is renewed apart from the bot's, so it would be dead before long.
      ['user_access_token', lifetimeIn(user) === null && userToken !== tokens.accessToken ? userToken : null],
    ];
    return {
      ...tokens,
      extra: Object.fromEntries(extra.filter((pair): pair is [string, string] => pair[1] !== null)),
      subject: teamId === null || who === null ? null : `${teamId} ${who}`,
      account: wordsIn(team, 'name') ?? wordsIn(team, 'id'),
    };
  },
  errorOf: (body) =>
    body.ok === false ? (textIn(body, 'error') ?? 'unknown') : body.ok === true ? null : textIn(body, 'error'),
  ended: new Set([
    'invalid_grant',
    'invalid_refresh_token',
    'token_revoked',
    'token_expired',
    'account_inactive',
    'invalid_auth',
  ]),
};

const memberOf = (body: Body, name: string): Body => {
  const value = body[name];
  return isObject(value) ? value : {};
};
