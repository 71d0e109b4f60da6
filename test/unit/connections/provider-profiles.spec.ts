import { chat } from '../../../services/connections/oauth/chat';
import { type ProviderProfile, evaluateTokenResponse } from '../../../services/connections/oauth/provider-profile';
import { notes } from '../../../services/connections/oauth/notes';
import { suite } from '../../../services/connections/oauth/suite';

const judge = (profile: ProviderProfile, body: unknown, status = 200) =>
  evaluateTokenResponse(profile, { status, body, retryAfterMs: null });
const TOKEN = { ok: true, access_token: 't', token_type: 'Bearer' };
const all: [string, ProviderProfile][] = [
  ['suite', suite],
  ['notes', notes],
  ['chat', chat],
];

describe.each(all)('the token endpoint of %s', (_name, profile) => {
  test.each<[string, unknown, number]>([
    ['null', null, 200],
    ['a list', [TOKEN], 200],
    ['a text', 'access_token=t', 200],
    ['an empty token', { ...TOKEN, access_token: '' }, 200],
    ['a token that is an object', { ...TOKEN, access_token: { a: 1 } }, 200],
    ['a token of a megabyte', { ...TOKEN, access_token: 'x'.repeat(1_000_000) }, 200],
    ['a token with a status that refuses', TOKEN, 403],
    ['a token with a status that sends elsewhere', TOKEN, 302],
  ])('that answers with %s returns no token', (_what, body, status) => {
    expect(judge(profile, body, status)).toMatchObject({ kind: 'refused' });
  });

  test.each([429, 500, 502, 503])('that answers %d is retried later', (status) => {
    expect(judge(profile, { ok: false, error: 'invalid_grant' }, status)).toMatchObject({ kind: 'failed' });
  });

  test.each<[unknown, number | null]>([
    [3_600, 3_600],
    ['3600', 3_600],
    [0, null],
    [-5, null],
    ['soon', null],
    [null, null],
    [1e300, 100 * 365 * 24 * 3_600],
    [Number.NaN, null],
  ])('may have the lifetime %j', (expires_in, lifetimeSeconds) => {
    expect(judge(profile, { ...TOKEN, expires_in })).toMatchObject({ tokens: { lifetimeSeconds } });
  });

  test('ends a grant only by its documented errors', () => {
    expect(judge(profile, { ok: false, error: 'invalid_grant' }, 400)).toMatchObject({ kind: 'revoked' });
    expect(judge(profile, { ok: false, error: 'invalid_client' }, 401)).toMatchObject({ kind: 'refused' });
  });

  test('does not show texts of the provider', () => {
    const { message } = judge(profile, { ok: false, error: '<script>' }, 400) as { message: string };
    expect(message).not.toContain('<');
  });
});

test('an invalid ID token leaves the account without a name', () => {
  for (const id_token of ['x', 'a.b.c', `a.${Buffer.from('[]').toString('base64url')}.c`, 7]) {
    expect(judge(suite, { ...TOKEN, id_token })).toMatchObject({
      kind: 'tokens',
      tokens: { subject: null, account: null },
    });
  }
});

test('names of accounts are one line', () => {
  const { tokens } = judge(notes, { ...TOKEN, workspace_name: 'a\r\nb\u0000c' }) as { tokens: { account: string } };
  expect(tokens.account).toBe('a  b c');
});
