import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/provider-profile';

type TokenLifetime = Pick<ConnectionDoc, 'scopes' | 'expires_at' | 'lifetime_ms'>;

/** Expiry and scopes of tokens that were requested at `since` (epoch milliseconds). Pure. */
export function lifetimeOf(tokens: Tokens, requestedScopes: readonly string[], since: number): TokenLifetime {
  const { scopes, lifetimeSeconds } = tokens;
  const lifetime_ms = lifetimeSeconds === null ? null : lifetimeSeconds * 1_000;
  return {
    scopes: [...(scopes ?? requestedScopes)],
    lifetime_ms,
    expires_at: lifetime_ms === null ? null : new Date(since + lifetime_ms),
  };
}
