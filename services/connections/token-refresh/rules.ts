import type { ConnectionDoc } from '../models';

type State = Pick<
  ConnectionDoc,
  'kind' | 'status' | 'expires_at' | 'lifetime_ms' | 'renewable' | 'generation' | 'refreshing' | 'retry_at'
>;

/** The required token: any valid one, or one that is newer than a generation. */
export type RequiredToken = { readonly kind: 'any' } | { readonly kind: 'newer'; readonly than: number };

/** The decision about a connection before its credentials are used. */
export type RefreshDecision =
  | { readonly kind: 'use' }
  | { readonly kind: 'refresh' }
  /** Another process is refreshing it. */
  | { readonly kind: 'wait' }
  /** The provider was unreachable; do not retry before `until` (epoch milliseconds). */
  | { readonly kind: 'later'; readonly until: number }
  | { readonly kind: 'expired' }
  | { readonly kind: 'revoked' };

/** Lease of a refresh. Much longer than the request timeout. */
export const LEASE_MS = 30_000;

/** A token is refreshed when less than this is left, or less than a tenth of a short lifetime. */
const REFRESH_EARLY_MS = 5 * 60_000;
const SHORT_LIFETIME_DIVISOR = 10;
/** Minimum remaining lifetime of a token that is handed out: callers use it for some seconds. */
const MIN_LEFT_MS = 5_000;

/** Pure. `now` in epoch milliseconds. */
export function decideRefresh(state: State, required: RequiredToken, now: number): RefreshDecision {
  if (state.status === 'revoked') return { kind: 'revoked' };
  if (state.kind === 'manual') return { kind: 'use' };
  const isAcceptable = required.kind === 'any' || state.generation > required.than;
  const left = remainingMs(state, now);
  if (!state.renewable) {
    if (left <= 0) return { kind: 'expired' };
    return isAcceptable ? { kind: 'use' } : { kind: 'revoked' };
  }
  if (isAcceptable && left > refreshEarlyMs(state)) return { kind: 'use' };
  // The remaining lifetime suffices while another process refreshes the token, or the provider cannot be reached.
  const isSufficient = isAcceptable && left > Math.min(MIN_LEFT_MS, refreshEarlyMs(state));
  if (state.refreshing !== null && state.refreshing.since.getTime() + LEASE_MS > now) {
    return { kind: isSufficient ? 'use' : 'wait' };
  }
  if (state.retry_at !== null && state.retry_at.getTime() > now) {
    return isAcceptable && left > 0 ? { kind: 'use' } : { kind: 'later', until: state.retry_at.getTime() };
  }
  return { kind: 'refresh' };
}

/** True when the access token has expired and cannot be refreshed. */
export const isExpired = (state: Pick<State, 'expires_at' | 'renewable'>, now: number): boolean =>
  !state.renewable && remainingMs(state, now) <= 0;

const remainingMs = ({ expires_at }: Pick<State, 'expires_at'>, now: number): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : expires_at.getTime() - now;

const refreshEarlyMs = ({ lifetime_ms }: State): number =>
  Math.min(REFRESH_EARLY_MS, (lifetime_ms ?? Number.POSITIVE_INFINITY) / SHORT_LIFETIME_DIVISOR);

const RETRY_MS = 5_000;
const MAX_RETRY_MS = 5 * 60_000;

/** When the refresh is retried after the provider was unreachable. */
export const retryAt = (retryAfterMs: number | null, now: number): Date =>
  new Date(now + Math.min(Math.max(retryAfterMs ?? 0, RETRY_MS), MAX_RETRY_MS));
