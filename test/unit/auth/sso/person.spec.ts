import type { MappableRole } from '../../../../contracts/auth/sso';
import type { JsonObject } from '../../../../lib/json';
import { normalizeAddress, userOfClaims } from '../../../../services/auth/sso/authenticated-user';
import { roleFor } from '../../../../services/auth/sso/roles';
import { userOfAssertion } from '../../../../services/auth/sso/saml/authenticated-user';
import type { Assertion } from '../../../../services/auth/sso/saml/response';

const claims = (given: JsonObject = {}): JsonObject => ({
  iss: 'https://id.example.com',
  sub: '42',
  email: 'Ann@Example.com',
  email_verified: true,
  ...given,
});
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const assertion = (value: string, format: string | null, attributes: Assertion['attributes'] = {}): Assertion => ({
  id: '_a',
  issuer: 'https://idp.test',
  inResponseTo: '_r',
  nameId: { value, format },
  attributes,
  notOnOrAfter: 0,
});

describe('the person of claims', () => {
  it('has the address in lower case, and an id that is unique for the issuer', () => {
    const here = userOfClaims(claims(), null);
    const there = userOfClaims(claims({ iss: 'https://other.example.com' }), null);
    expect(here).toMatchObject({ email: 'ann@example.com', values: [] });
    expect(userOfClaims(claims({ email: 'b@example.com' }), null).subject).toBe(here.subject);
    expect(there.subject).not.toBe(here.subject);
  });

  it.each<[JsonObject, boolean]>([
    [{ email_verified: true }, true],
    [{ email_verified: 'true' }, true],
    [{ email_verified: false }, false],
    [{ email_verified: 'false' }, false],
    [{ email_verified: null }, false],
    [{ email_verified: undefined as never }, false],
    [{ email_verified: undefined as never, xms_edov: true }, true],
    [{ email_verified: undefined as never, xms_edov: '1' }, true],
    [{ email_verified: undefined as never, xms_edov: false }, false],
    [{ email_verified: false, xms_edov: true }, false],
    [{ iss: 'https://accounts.google.com' }, false],
    [{ iss: 'https://accounts.google.com', hd: 'example.com' }, true],
    [{ iss: 'https://accounts.google.com', email: 'ann@gmail.com' }, true],
    [{ iss: 'https://accounts.google.com', email: 'ann@gmail.com.evil.test' }, false],
    [{ iss: 'https://accounts.google.com', email: 'ann@notgmail.com' }, false],
    [{ iss: 'https://accounts.google.com', hd: 'example.com', email_verified: false }, false],
  ])('with %o has a verified address: %s', (given, vouched) => {
    const read = () => userOfClaims(claims(given), null);
    if (vouched) expect(read().email).toMatch(/^ann@/);
    else expect(read).toThrow(expect.objectContaining({ type: 'sign_in_refused' }));
  });

  it.each<[string, JsonObject, string[]]>([
    ['a list', { groups: ['a', 1, null, 'b'] }, ['a', 'b']],
    ['a text', { groups: 'a' }, ['a']],
    ['an object', { groups: { a: 1 } }, []],
    ['nothing', {}, []],
  ])('has the texts of a claim that is %s', (_, given, values) => {
    expect(userOfClaims(claims(given), 'groups').values).toEqual(values);
  });

  it('has no values of inherited properties', () => {
    expect(userOfClaims(claims(), 'constructor').values).toEqual([]);
  });
});

describe('an address', () => {
  it.each([
    ['ann@example.com', 'ann@example.com'],
    [' Ann+x@Example.COM ', 'ann+x@example.com'],
    ['ann', null],
    ['@example.com', null],
    ['ann@example.com, bob@example.com', null],
    ['Ann <ann@example.com>', null],
    ['ann@example.com\nbcc:x', null],
    ['\u212aate@example.com', null],
    ['ann@ex\u0430mple.com', null],
    ['', null],
    [7, null],
    [null, null],
    [`${'a'.repeat(300)}@example.com`, null],
  ])('%j is read as %j', (given, address) => {
    expect(normalizeAddress(given)).toBe(address);
  });
});

describe('the person of an assertion', () => {
  it.each<[string, Assertion, string | null]>([
    ['a NameID that is an address', assertion('Ann@Example.com', EMAIL), 'ann@example.com'],
    [
      'an address before the attribute',
      assertion('ann@example.com', EMAIL, { email: ['bob@example.com'] }),
      'ann@example.com',
    ],
    ['an attribute beside an opaque NameID', assertion('x7', null, { mail: ['bob@example.com'] }), 'bob@example.com'],
    ['two addresses in one attribute', assertion('x7', null, { mail: ['a@example.com', 'b@example.com'] }), null],
    ['no address', assertion('x7', null), null],
    ['a NameID that says it is an address, and is none', assertion('x7', EMAIL, { mail: ['b@example.com'] }), null],
    [
      'a NameID of each time',
      assertion('x7', 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient', { mail: ['b@example.com'] }),
      null,
    ],
    ['an empty NameID', assertion('', EMAIL, { mail: ['b@example.com'] }), null],
  ])('with %s', (_, given, email) => {
    if (email === null)
      expect(() => userOfAssertion(given, null)).toThrow(expect.objectContaining({ type: 'sign_in_refused' }));
    else expect(userOfAssertion(given, null).email).toBe(email);
  });
});

describe('the role of a mapping', () => {
  const mapping = {
    claim: 'groups',
    values: [
      { value: 'ops', role: 'admin' as const },
      { value: 'staff', role: 'member' as const },
      { value: 'guests', role: 'viewer' as const },
    ],
  };

  it.each<[string[], MappableRole | null, MappableRole | null]>([
    [['guests'], 'admin', 'viewer'],
    [['guests', 'staff'], null, 'member'],
    [[], 'viewer', 'viewer'],
    [['staff'], null, 'member'],
    [['staff', 'ops'], null, 'admin'],
    [['ops', 'staff'], null, 'admin'],
    [['staff'], 'admin', 'member'],
    [['owner', 'admin'], null, null],
    [['owner', 'admin'], 'member', 'member'],
    [[], null, null],
  ])('for %j, with the default %s, is %s', (values, default_role, role) => {
    expect(roleFor({ role_mapping: mapping, default_role }, values)).toBe(role);
  });

  it('is the default without a match', () => {
    expect(roleFor({ role_mapping: null, default_role: 'member' }, ['ops'])).toBe('member');
  });
});
