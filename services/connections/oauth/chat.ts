import { isObject } from '../../../lib/json';
import { type ProviderProfile, lifetimeIn, plainTokens, textIn, labelIn } from './provider-profile';

type Body = Record<string, unknown>;

/** OAuth v2 of Slack: errors have `ok: false` with status 200; bot and user tokens in one response; optional token rotation. */
export const chat: ProviderProfile = {
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
    // An app that requested only user scopes gets only the user token.
    const tokens = plainTokens(body) ?? plainTokens(user);
    if (tokens === null) return null;
    const userToken = textIn(user, 'access_token');
    const teamId = textIn(team, 'id');
    const who = textIn(body, 'bot_user_id') ?? textIn(user, 'id');
    const extra: [string, string | null][] = [
      ['bot_user_id', textIn(body, 'bot_user_id')],
      ['team_id', teamId],
      // An expiring user token has a refresh token of its own, which is not stored, so it would soon be invalid.
      ['user_access_token', lifetimeIn(user) === null && userToken !== tokens.accessToken ? userToken : null],
    ];
    return {
      ...tokens,
      extra: Object.fromEntries(extra.filter((pair): pair is [string, string] => pair[1] !== null)),
      subject: teamId === null || who === null ? null : `${teamId} ${who}`,
      account: labelIn(team, 'name') ?? labelIn(team, 'id'),
    };
  },
  errorOf: (body) =>
    body.ok === false ? (textIn(body, 'error') ?? 'unknown') : body.ok === true ? null : textIn(body, 'error'),
  revokedCodes: new Set([
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
