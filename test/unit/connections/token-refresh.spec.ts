import {
  LEASE_MS,
  retryAt,
  type RefreshDecision,
  decideRefresh,
  type RequiredToken,
} from '../../../services/connections/token-refresh/rules';

type State = Parameters<typeof decideRefresh>[0];

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const at = (ms: number): Date => new Date(NOW + ms);
const state = (given: Partial<State> = {}): State => ({
  kind: 'oauth',
  status: 'active',
  expires_at: at(HOUR),
  lifetime_ms: HOUR,
  renewable: true,
  generation: 3,
  refreshing: null,
  retry_at: null,
  ...given,
});
const ANY: RequiredToken = { kind: 'any' };
const newer = (than: number): RequiredToken => ({ kind: 'newer', than });
const held = (ageMs: number) => ({ by: 'other-node', since: at(-ageMs) });

test.each<[string, Partial<State>, RequiredToken, RefreshDecision]>([
  ['a fresh token is used', {}, ANY, { kind: 'use' }],
  ['a token without an expiry is used', { expires_at: null, lifetime_ms: null }, ANY, { kind: 'use' }],
  ['with five minutes left it is refreshed', { expires_at: at(300_000) }, ANY, { kind: 'refresh' }],
  ['with a little more it is used', { expires_at: at(300_001) }, ANY, { kind: 'use' }],
  [
    'one with a lifetime of a minute is refreshed in its last tenth',
    { expires_at: at(6_000), lifetime_ms: 60_000 },
    ANY,
    { kind: 'refresh' },
  ],
  ['and used before', { expires_at: at(6_001), lifetime_ms: 60_000 }, ANY, { kind: 'use' }],
  ['an expired one is refreshed', { expires_at: at(-1) }, ANY, { kind: 'refresh' }],
  ['during a refresh the valid token is used', { expires_at: at(60_000), refreshing: held(0) }, ANY, { kind: 'use' }],
  ['but not in its last seconds', { expires_at: at(4_000), refreshing: held(0) }, ANY, { kind: 'wait' }],
  ['an expired one makes callers wait', { expires_at: at(-1), refreshing: held(0) }, ANY, { kind: 'wait' }],
  ['until the lease of the refresh ends', { expires_at: at(-1), refreshing: held(LEASE_MS) }, ANY, { kind: 'refresh' }],
  ['not a moment before', { expires_at: at(-1), refreshing: held(LEASE_MS - 1) }, ANY, { kind: 'wait' }],
  ['a rejected token is refreshed even if it is new', {}, newer(3), { kind: 'refresh' }],
  ['unless it was refreshed since', { generation: 4 }, newer(3), { kind: 'use' }],
  ['a rejected token is not used again during a refresh', { refreshing: held(0) }, newer(3), { kind: 'wait' }],
  ['nor while the provider is unavailable', { retry_at: at(1_000) }, newer(3), { kind: 'later', until: NOW + 1_000 }],
  [
    'an unavailable provider is not called while the token is valid',
    { expires_at: at(60_000), retry_at: at(1_000) },
    ANY,
    { kind: 'use' },
  ],
  ['nor when it has expired', { expires_at: at(0), retry_at: at(1_000) }, ANY, { kind: 'later', until: NOW + 1_000 }],
  ['but then again', { expires_at: at(0), retry_at: at(0) }, ANY, { kind: 'refresh' }],
  ['a token that cannot be refreshed expires', { renewable: false, expires_at: at(0) }, ANY, { kind: 'expired' }],
  ['and is valid until then', { renewable: false, expires_at: at(1) }, ANY, { kind: 'use' }],
  ['and counts as revoked when it was rejected', { renewable: false, expires_at: null }, newer(3), { kind: 'revoked' }],
  ['a revoked grant stays revoked', { status: 'revoked' }, ANY, { kind: 'revoked' }],
  ['also when the token has not expired', { status: 'revoked', expires_at: null }, newer(2), { kind: 'revoked' }],
  ['typed-in credentials are used', { kind: 'manual', renewable: false, expires_at: null }, newer(3), { kind: 'use' }],
])('%s', (_title, given, wanted, verdict) => expect(decideRefresh(state(given), wanted, NOW)).toEqual(verdict));

test('an unreachable provider is retried after five seconds, or at the time that it names, within five minutes', () => {
  expect(retryAt(null, NOW)).toEqual(at(5_000));
  expect(retryAt(1, NOW)).toEqual(at(5_000));
  expect(retryAt(20_000, NOW)).toEqual(at(20_000));
  expect(retryAt(86_400_000, NOW)).toEqual(at(300_000));
});
