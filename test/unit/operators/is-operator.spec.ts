import { isOperator } from '../../../services/auth/operators';
import type { UserDoc } from '../../../services/auth/models';

const SESSION = { sso: false, mustEnrol: false };

const user = (given: Partial<UserDoc> = {}): UserDoc => ({
  _id: 'u',
  tenant_id: 't',
  email: 'ada@example.com',
  role: 'member',
  password_hash: 'x',
  identities: [],
  email_verified_at: new Date(0),
  sessions_valid_from: null,
  last_sign_in_at: null,
  created_at: new Date(0),
  ...given,
});

describe('an operator', () => {
  test.each<[string, UserDoc]>([
    ['with a confirmed address', user()],
    ['whom the identity provider of the installation signs in', user({ identities: [{ via: 'suite', subject: 's' }] })],
  ])('is an account in OPERATORS %s', (_how, account) => {
    expect(isOperator(['bob@example.com', 'ada@example.com'], account, SESSION)).toBe(true);
  });

  test.each<[string, UserDoc, typeof SESSION | null]>([
    ['an address that is not confirmed', user({ email_verified_at: null }), SESSION],
    ['another address', user({ email: 'eve@example.com' }), SESSION],
    ['an API key', user(), null],
    ['a session of the identity provider of the tenant', user(), { ...SESSION, sso: true }],
    ['an account that the tenant can sign in to', user({ identities: [{ via: 'oidc', subject: 's' }] }), SESSION],
    ['a session without the second factor that is required', user(), { ...SESSION, mustEnrol: true }],
  ])('is not %s', (_what, account, session) => {
    expect(isOperator(['ada@example.com'], account, session)).toBe(false);
  });

  test('does not exist without OPERATORS', () => expect(isOperator([], user(), SESSION)).toBe(false));
});
