import { isObject } from '../../../lib/json';

/** A normalized token response of a provider. */
export interface Tokens {
  readonly accessToken: string;
  readonly tokenType: string;
  /** Null: the access token cannot be refreshed, or the stored refresh token is still valid. */
  readonly refreshToken: string | null;
  /** Lifetime of the access token; null when it does not expire or is unknown. */
  readonly lifetimeSeconds: number | null;
  /** Granted scopes; null when the response has none: the requested scopes were granted. */
  readonly scopes: readonly string[] | null;
  /** Additional values for steps, by name. */
  readonly extra: Readonly<Record<string, string>>;
  /** The account: a stable id and a display name. */
  readonly subject: string | null;
  readonly account: string | null;
}

/** The result of a token request. `revoked`: the grant is no longer valid. `failed`: retryable. */
export type TokenResult =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  | { readonly kind: 'revoked'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs: number | null };

/** The OAuth 2.0 dialect (RFC 6749) of a family of providers. Data and pure functions. */
export interface ProviderProfile {
  /** Display name. */
  readonly title: string;
  /** Proof Key for Code Exchange (RFC 7636). */
  readonly pkce: boolean;
  /** Separator of scopes in a request. */
  readonly separator: ' ' | ',';
  /** Scopes that are always requested in addition to those of connectors. */
  readonly ownScopes: readonly string[];
  /** Additional parameters of an authorization request. */
  readonly authorize: Readonly<Record<string, string>>;
  /** Client authentication and body format of the token endpoint. */
  readonly authentication: 'basic' | 'post' | 'none';
  readonly body: 'form' | 'json';
  /** How a token is revoked. */
  readonly revocation: 'rfc7009' | 'bearer';
  /** The tokens of a token response; null for an error response. */
  tokens(body: Record<string, unknown>): Tokens | null;
  /** The error code of a response; null without one. */
  errorOf(body: Record<string, unknown>): string | null;
  /** Error codes of a refresh token or a grant that is no longer valid. */
  readonly revokedCodes: ReadonlySet<string>;
}

const MAX_TOKEN_CHARS = 16 * 1024;
const MAX_LABEL_CHARS = 300;
const MAX_SCOPES = 200;
const ERROR_CODE = /^[a-z][a-z0-9_]{0,60}$/;
/** Limit of a lifetime: a larger one cannot be represented as a date. */
const MAX_LIFETIME_SECONDS = 100 * 365 * 24 * 3_600;

/** Evaluates a token response. Pure. Of the provider's texts only the error code is used in messages. */
export function evaluateTokenResponse(
  profile: ProviderProfile,
  answer: { readonly status: number; readonly body: unknown; readonly retryAfterMs: number | null },
): TokenResult {
  const { status, body, retryAfterMs } = answer;
  const known = isObject(body) ? body : {};
  const word = profile.errorOf(known);
  if (status === 429 || status >= 500 || word === 'ratelimited' || word === 'temporarily_unavailable') {
    return { kind: 'failed', message: `${profile.title} answered with status ${status}`, retryAfterMs };
  }
  if (word !== null) {
    const kind = profile.revokedCodes.has(word) ? 'revoked' : 'refused';
    return { kind, message: `${profile.title} refuses: ${ERROR_CODE.test(word) ? word : 'an unknown error'}` };
  }
  const tokens = status < 300 ? profile.tokens(known) : null;
  if (tokens !== null) return { kind: 'tokens', tokens };
  return { kind: 'refused', message: `${profile.title} answered with status ${status} and no access token` };
}

/** A text of a response; null when it is empty or too long. */
export const textIn = (body: Record<string, unknown>, name: string): string | null => {
  const value = body[name];
  return typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN_CHARS ? value : null;
};

/** A display text: one line of limited length. */
export const labelIn = (body: Record<string, unknown>, name: string): string | null => {
  const text =
    textIn(body, name)
      ?.replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .trim()
      .slice(0, MAX_LABEL_CHARS) ?? '';
  return text === '' ? null : text;
};

/** `expires_in` in seconds; some providers send a string. */
export function lifetimeIn(body: Record<string, unknown>): number | null {
  const seconds = Number(body.expires_in ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_LIFETIME_SECONDS) : null;
}

/** `scope`: names that are separated by blanks or commas; some providers send a list. */
function scopesIn(body: Record<string, unknown>): string[] | null {
  const names = Array.isArray(body.scope) ? body.scope.slice(0, MAX_SCOPES) : textIn(body, 'scope')?.split(/[ ,]+/);
  return names?.filter((name): name is string => typeof name === 'string' && name !== '') ?? null;
}

/** The tokens of a response by RFC 6749 section 5.1; null without an access token. */
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
