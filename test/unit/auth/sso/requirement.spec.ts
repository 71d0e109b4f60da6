import { coversAddress, mailDomain, requiresSso } from '../../../../services/auth/sso/requirement';

const none = { enabled: true, enforce: false, enforce_domains: [] };
const some = { ...none, enforce_domains: ['example.com', 'xn--mller-kva.de'] };

describe('who must sign in with the provider', () => {
  test.each([
    ['not set up', null, 'bob@example.com', false],
    ['not required', none, 'bob@example.com', false],
    ['of an earlier version', { enabled: true, enforce: false }, 'bob@example.com', false],
    ['required of all', { ...none, enforce: true }, 'bob@elsewhere.com', true],
    ['switched off', { ...some, enabled: false, enforce: true }, 'bob@example.com', false],
    ['required of the domain', some, 'bob@example.com', true],
    ['required of the domain in upper case', some, 'Bob@EXAMPLE.com', true],
    ['required of the domain in Unicode', some, 'bob@müller.de', true],
    ['required of another domain', some, 'bob@elsewhere.com', false],
    ['required of the parent domain', some, 'bob@eu.example.com', false],
    ['required of a domain that ends alike', some, 'bob@notexample.com', false],
    ['required of a domain that the local part names', some, '"a@example.com"@elsewhere.com', false],
    ['required of the domain behind a quoted @', some, '"a@elsewhere.com"@example.com', true],
    ['not for names of service accounts', some, 'service:example.com', false],
  ])('%s', (_title, config, email, expected) => {
    for (const role of ['viewer', 'member', 'admin'] as const)
      expect(requiresSso(config, { role, email })).toBe(expected);
    expect(requiresSso(config, { role: 'owner', email })).toBe(false);
    expect(coversAddress(config, email)).toBe(expected);
  });
});

test.each([
  ['Example.COM.', 'example.com'],
  ['müller.de', 'xn--mller-kva.de'],
  ['localhost', null],
  ['@example.com', null],
  ['*.example.com', null],
  ['192.0.2.1', null],
  ['', null],
])('the domain %p has the form %p', (text, expected) => {
  expect(mailDomain(text)).toBe(expected);
});
