import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/dialect';

type Terms = Pick<ConnectionDoc, 'scopes' | 'expires_at' | 'lifetime_ms'>;

/** For how long and for what tokens count, that were asked for at `since` (epoch milliseconds). Pure. */
export function termsOf(tokens: Tokens, asked: readonly string[], since: number): Terms {
  const { scopes, lifetimeSeconds } = tokens;
  const lifetime_ms = lifetimeSeconds === null ? null : lifetimeSeconds * 1_000;
  return {
    scopes: [...(scopes ?? asked)],
    lifetime_ms,
    expires_at: lifetime_ms === null ? null : new Date(since + lifetime_ms),
  };
}
