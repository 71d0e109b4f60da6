import { LEASE_MS, retryAt, type Verdict, verdictOn, type Wanted } from '../../../services/connections/renewal/rules';

type State = Parameters<typeof verdictOn>[0];

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
const ANY: Wanted = { kind: 'any' };
const newer = (than: number): Wanted => ({ kind: 'newer', than });
const held = (ageMs: number) => ({ by: 'somebody', since: at(-ageMs) });

test.each<[string, Partial<State>, Wanted, Verdict]>([
  ['a fresh token is used', {}, ANY, { kind: 'use' }],
  ['one without an end is used', { expires_at: null, lifetime_ms: null }, ANY, { kind: 'use' }],
  ['with five minutes left it is renewed', { expires_at: at(300_000) }, ANY, { kind: 'renew' }],
  ['with a little more it is used', { expires_at: at(300_001) }, ANY, { kind: 'use' }],
  [
    'one that lives for a minute is renewed in its last tenth',
    { expires_at: at(6_000), lifetime_ms: 60_000 },
    ANY,
    { kind: 'renew' },
  ],
  ['and used before', { expires_at: at(6_001), lifetime_ms: 60_000 }, ANY, { kind: 'use' }],
  ['one that has ended is renewed', { expires_at: at(-1) }, ANY, { kind: 'renew' }],
  [
    'while somebody renews it, what is left is used',
    { expires_at: at(60_000), refreshing: held(0) },
    ANY,
    { kind: 'use' },
  ],
  ['but not the last moments', { expires_at: at(4_000), refreshing: held(0) }, ANY, { kind: 'wait' }],
  ['and one that has ended is waited for', { expires_at: at(-1), refreshing: held(0) }, ANY, { kind: 'wait' }],
  ['until the lease is over', { expires_at: at(-1), refreshing: held(LEASE_MS) }, ANY, { kind: 'renew' }],
  ['not a moment before', { expires_at: at(-1), refreshing: held(LEASE_MS - 1) }, ANY, { kind: 'wait' }],
  ['a refused one is renewed however fresh it is', {}, newer(3), { kind: 'renew' }],
  ['unless it was renewed since', { generation: 4 }, newer(3), { kind: 'use' }],
  ['a refused one is never given again while somebody renews it', { refreshing: held(0) }, newer(3), { kind: 'wait' }],
  ['nor while the provider is away', { retry_at: at(1_000) }, newer(3), { kind: 'later', until: NOW + 1_000 }],
  [
    'a provider that is away is not asked, while the token counts',
    { expires_at: at(60_000), retry_at: at(1_000) },
    ANY,
    { kind: 'use' },
  ],
  ['nor when it has ended', { expires_at: at(0), retry_at: at(1_000) }, ANY, { kind: 'later', until: NOW + 1_000 }],
  ['but then again', { expires_at: at(0), retry_at: at(0) }, ANY, { kind: 'renew' }],
  ['what cannot be renewed ends', { renewable: false, expires_at: at(0) }, ANY, { kind: 'expired' }],
  ['and counts until then', { renewable: false, expires_at: at(1) }, ANY, { kind: 'use' }],
  ['and is told as revoked when it was refused', { renewable: false, expires_at: null }, newer(3), { kind: 'revoked' }],
  ['what the provider has ended stays so', { status: 'revoked' }, ANY, { kind: 'revoked' }],
  ['also when the token would still count', { status: 'revoked', expires_at: null }, newer(2), { kind: 'revoked' }],
  ['typed-in credentials are used', { kind: 'manual', renewable: false, expires_at: null }, newer(3), { kind: 'use' }],
])('%s', (_title, given, wanted, verdict) => expect(verdictOn(state(given), wanted, NOW)).toEqual(verdict));

test('a provider that could not be reached is asked again after five seconds, or when it says, within five minutes', () => {
  expect(retryAt(null, NOW)).toEqual(at(5_000));
  expect(retryAt(1, NOW)).toEqual(at(5_000));
  expect(retryAt(20_000, NOW)).toEqual(at(20_000));
  expect(retryAt(86_400_000, NOW)).toEqual(at(300_000));
});
