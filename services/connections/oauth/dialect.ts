import { isObject } from '../../../lib/json';

/** What a provider has given, in terms of ours. */
export interface Tokens {
  readonly accessToken: string;
  readonly tokenType: string;
  /** Null: the access token cannot be renewed, or the one that is known still counts. */
  readonly refreshToken: string | null;
  /** How long the access token counts; null where it does not end, or nobody knows. */
  readonly lifetimeSeconds: number | null;
  /** What was granted; null where the answer does not say: what was asked for. */
  readonly scopes: readonly string[] | null;
  /** What else steps may need: texts by name. */
  readonly extra: Readonly<Record<string, string>>;
  /** Whose account it is: an id that stays, and words for people. */
  readonly subject: string | null;
  readonly account: string | null;
}

/** What became of asking for tokens. `revoked`: the grant counts no more. `failed`: the same may succeed later. */
export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  | { readonly kind: 'revoked'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs: number | null };

/** How a family of providers speaks OAuth 2.0 (RFC 6749). Data and pure functions. */
export interface Dialect {
  /** What people know it by. */
  readonly title: string;
  /** Proof Key for Code Exchange (RFC 7636). */
  readonly pkce: boolean;
  /** What stands between scopes in a request. */
  readonly separator: ' ' | ',';
  /** Always asked for, beside what connectors need. */
  readonly ownScopes: readonly string[];
  /** What else an authorization request says. */
  readonly authorize: Readonly<Record<string, string>>;
  /** How we say who we are at the token endpoint, and in which form bodies go. */
  readonly authentication: 'basic' | 'post';
  readonly body: 'form' | 'json';
  /** How a token is given back. */
  readonly revocation: 'rfc7009' | 'bearer';
  /** The tokens in an answer of the token endpoint; null: it has none, and the error word says why. */
  tokens(body: Record<string, unknown>): Tokens | null;
  /** The error word of an answer; null where there is none. */
  errorOf(body: Record<string, unknown>): string | null;
  /** Error words that mean that a refresh token, or the grant behind it, counts no more. */
  readonly ended: ReadonlySet<string>;
}

const LONGEST_TOKEN = 16 * 1024;
const LONGEST_WORDS = 300;
const WORD = /^[a-z][a-z0-9_]{0,60}$/;
/** Longer than anybody lets a token live; more could not be told as a date. */
const LONGEST_LIFE_SECONDS = 100 * 365 * 24 * 3_600;

/** The answer of a token endpoint, judged. Pure. No text of the provider's but its error word is repeated. */
export function judged(
  dialect: Dialect,
  answer: { readonly status: number; readonly body: unknown; readonly retryAfterMs: number | null },
): TokenAnswer {
  const { status, body, retryAfterMs } = answer;
  const known = isObject(body) ? body : {};
  const word = dialect.errorOf(known);
  if (status === 429 || status >= 500 || word === 'ratelimited' || word === 'temporarily_unavailable') {
    return { kind: 'failed', message: `${dialect.title} answers with status ${status}`, retryAfterMs };
  }
  if (word !== null) {
    const kind = dialect.ended.has(word) ? 'revoked' : 'refused';
    return { kind, message: `${dialect.title} refuses: ${WORD.test(word) ? word : 'an error without a name'}` };
  }
  const tokens = status < 300 ? dialect.tokens(known) : null;
  if (tokens !== null) return { kind: 'tokens', tokens };
  return { kind: 'refused', message: `${dialect.title} answers with status ${status} and no access token` };
}

/** A text of an answer that is neither empty nor endless. */
export const textIn = (body: Record<string, unknown>, name: string): string | null => {
  const value = body[name];
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TOKEN ? value : null;
};

/** Words for people: one line, not too long. */
export const wordsIn = (body: Record<string, unknown>, name: string): string | null => {
  const text =
    textIn(body, name)
      ?.replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .trim()
      .slice(0, LONGEST_WORDS) ?? '';
  return text === '' ? null : text;
};

/** `expires_in`: seconds, which some providers write as text. */
export function lifetimeIn(body: Record<string, unknown>): number | null {
  const seconds = Number(body.expires_in ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_LIFE_SECONDS) : null;
}

/** `scope`: names with blanks or commas between them. */
export const scopesIn = (body: Record<string, unknown>): string[] | null =>
  textIn(body, 'scope')
    ?.split(/[ ,]+/)
    .filter((scope) => scope !== '') ?? null;

/** What RFC 6749 section 5.1 says of an answer; null without an access token. */
export function plainTokens(body: Record<string, unknown>): Tokens | null {
  const accessToken = textIn(body, 'access_token');
  if (accessToken === null) return null;
  return {
    accessToken,
    tokenType: textIn(body, 'token_type') ?? 'bearer',
    refreshToken: textIn(body, 'refresh_token'),
    lifetimeSeconds: lifetimeIn(body),
    scopes: scopesIn(body),
    extra: {},
    subject: null,
    account: null,
  };
}

/** RFC 6749 section 5.2. */
export const plainError = (body: Record<string, unknown>): string | null => textIn(body, 'error');
