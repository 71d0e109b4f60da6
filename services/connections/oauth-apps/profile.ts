import { isObject } from '../../../lib/json';
import { chat } from '../oauth/chat';
import { claimsOf } from '../oauth/id-token';
import { notes } from '../oauth/notes';
import { labelIn, plainError, plainTokens, type ProviderProfile, textIn, type Tokens } from '../oauth/provider-profile';
import { suite } from '../oauth/suite';
import type { AppSettings } from './settings';

const DIALECTS = { suite, notes, chat } as const;
const MAX_VALUE_CHARS = 2_000;

/** The OAuth dialect of an app. `title` names the provider in messages. */
export function profileOf(settings: AppSettings, title: string): ProviderProfile {
  const { preset, auth, format, pkce, params, separator } = settings;
  const dialect = preset?.dialect === undefined ? null : DIALECTS[preset.dialect];
  return {
    title,
    pkce,
    separator,
    ownScopes: [],
    authorize: params,
    authentication: auth === 'body' ? 'post' : auth,
    body: format,
    revocation: dialect?.revocation ?? 'rfc7009',
    tokens: dialect?.tokens ?? ((body) => tokensIn(body, settings)),
    errorOf: dialect?.errorOf ?? plainError,
    revokedCodes: dialect?.revokedCodes ?? new Set(['invalid_grant', 'bad_refresh_token']),
  };
}

/** The tokens of a response, from the app's paths or from where RFC 6749 puts them. */
function tokensIn(
  body: Record<string, unknown>,
  { paths, preset }: Pick<AppSettings, 'paths' | 'preset'>,
): Tokens | null {
  const moved = Object.entries(paths).flatMap(([name, path]): [string, unknown][] => {
    const value = valueAt(body, path ?? '');
    return value === undefined ? [] : [[name, value]];
  });
  const tokens = plainTokens({ ...body, ...Object.fromEntries(moved) });
  if (tokens === null) return null;
  const claims = claimsOf(textIn(body, 'id_token'));
  const account = labelIn(claims, 'email') ?? labelIn(claims, 'preferred_username') ?? labelIn(claims, 'name');
  return {
    ...tokens,
    extra: valuesIn(body, preset?.values ?? {}),
    subject: labelIn(claims, 'sub'),
    account: account ?? labelIn(claims, 'sub'),
  };
}

/** Texts and numbers at these paths, by name. Pure. */
export const valuesIn = (body: unknown, paths: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([name, path]): [string, string][] => {
      const text = textAt(body, path);
      return text === null ? [] : [[name, text]];
    }),
  );

/** The text or number at a path; null without one. Pure. */
export function textAt(body: unknown, path: string): string | null {
  const value = valueAt(body, path);
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value);
  return text === '' || text.length > MAX_VALUE_CHARS ? null : text;
}

function valueAt(body: unknown, path: string): unknown {
  let at = body;
  for (const name of path.split('.')) {
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}
