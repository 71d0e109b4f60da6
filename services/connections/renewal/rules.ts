import type { ConnectionDoc } from '../models';

type State = Pick<
  ConnectionDoc,
  'kind' | 'status' | 'expires_at' | 'lifetime_ms' | 'renewable' | 'generation' | 'refreshing' | 'retry_at'
>;

/** What will do: any token that counts, or only one that was given after that generation. */
export type Wanted = { readonly kind: 'any' } | { readonly kind: 'newer'; readonly than: number };

/** What is to be done about a connection before its credentials are given out. */
export type Verdict =
  | { readonly kind: 'use' }
  | { readonly kind: 'renew' }
  /** Somebody else is renewing it. */
  | { readonly kind: 'wait' }
  /** The provider could not be reached a moment ago; not before `until`, in epoch milliseconds. */
  | { readonly kind: 'later'; readonly until: number }
  | { readonly kind: 'expired' }
  | { readonly kind: 'revoked' };

/** For so long nobody else may renew. Far longer than the provider is waited for. */
export const LEASE_MS = 30_000;

/** A token with less left is renewed before it is given out; of one that lives shortly, less than a tenth of its life. */
const EARLY_MS = 5 * 60_000;
const EARLY_PART = 10;
/** Whoever is given a token keeps it for some seconds. */
const LEAST_LEFT_MS = 5_000;

/** Pure. `now` in epoch milliseconds. */
export function verdictOn(state: State, wanted: Wanted, now: number): Verdict {
  if (state.status === 'revoked') return { kind: 'revoked' };
  if (state.kind === 'manual') return { kind: 'use' };
  const given = wanted.kind === 'any' || state.generation > wanted.than;
  const left = leftOf(state, now);
  if (!state.renewable) {
    if (left <= 0) return { kind: 'expired' };
    return given ? { kind: 'use' } : { kind: 'revoked' };
  }
  if (given && left > earlyOf(state)) return { kind: 'use' };
  // What is left will do while somebody renews it, or nobody can.
  const enough = given && left > Math.min(LEAST_LEFT_MS, earlyOf(state));
  if (state.refreshing !== null && state.refreshing.since.getTime() + LEASE_MS > now) {
    return { kind: enough ? 'use' : 'wait' };
  }
  if (state.retry_at !== null && state.retry_at.getTime() > now) {
    return given && left > 0 ? { kind: 'use' } : { kind: 'later', until: state.retry_at.getTime() };
  }
  return { kind: 'renew' };
}

/** Whether a connection counts, as people see it. */
export const isExpired = (state: Pick<State, 'expires_at' | 'renewable'>, now: number): boolean =>
  !state.renewable && leftOf(state, now) <= 0;

const leftOf = ({ expires_at }: Pick<State, 'expires_at'>, now: number): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : expires_at.getTime() - now;

const earlyOf = ({ lifetime_ms }: State): number =>
  Math.min(EARLY_MS, (lifetime_ms ?? Number.POSITIVE_INFINITY) / EARLY_PART);

const RETRY_MS = 5_000;
const MOST_RETRY_MS = 5 * 60_000;

/** When a provider that could not be reached is asked again. */
export const retryAt = (retryAfterMs: number | null, now: number): Date =>
  new Date(now + Math.min(Math.max(retryAfterMs ?? 0, RETRY_MS), MOST_RETRY_MS));
