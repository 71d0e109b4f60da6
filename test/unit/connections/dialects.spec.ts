import { chat } from '../../../services/connections/oauth/chat';
import { type Dialect, judged } from '../../../services/connections/oauth/dialect';
import { notes } from '../../../services/connections/oauth/notes';
import { suite } from '../../../services/connections/oauth/suite';

const judge = (dialect: Dialect, body: unknown, status = 200) => judged(dialect, { status, body, retryAfterMs: null });
const TOKEN = { ok: true, access_token: 't', token_type: 'Bearer' };
const all: [string, Dialect][] = [
  ['suite', suite],
  ['notes', notes],
  ['chat', chat],
];

describe.each(all)('the token endpoint of %s', (_name, dialect) => {
  test.each<[string, unknown, number]>([
    ['null', null, 200],
    ['a list', [TOKEN], 200],
    ['a text', 'access_token=t', 200],
    ['an empty token', { ...TOKEN, access_token: '' }, 200],
    ['a token that is an object', { ...TOKEN, access_token: { a: 1 } }, 200],
    ['a token of a megabyte', { ...TOKEN, access_token: 'x'.repeat(1_000_000) }, 200],
    ['a token with a status that refuses', TOKEN, 403],
    ['a token with a status that sends elsewhere', TOKEN, 302],
  ])('that answers with %s has given nothing', (_what, body, status) => {
    expect(judge(dialect, body, status)).toMatchObject({ kind: 'refused' });
  });

  test.each([429, 500, 502, 503])('that answers %d may answer otherwise later', (status) => {
    expect(judge(dialect, { ok: false, error: 'invalid_grant' }, status)).toMatchObject({ kind: 'failed' });
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
  ])('may say %j for how long a token counts', (expires_in, lifetimeSeconds) => {
    expect(judge(dialect, { ...TOKEN, expires_in })).toMatchObject({ tokens: { lifetimeSeconds } });
  });

  test('ends a grant by its own words, and by no others', () => {
    expect(judge(dialect, { ok: false, error: 'invalid_grant' }, 400)).toMatchObject({ kind: 'revoked' });
    expect(judge(dialect, { ok: false, error: 'invalid_client' }, 401)).toMatchObject({ kind: 'refused' });
  });

  test('has no words of its own shown', () => {
    const { message } = judge(dialect, { ok: false, error: '<script>' }, 400) as { message: string };
    expect(message).not.toContain('<');
  });
});

test('an ID token that is none leaves the account without a name', () => {
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
