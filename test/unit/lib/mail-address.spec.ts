import { parseMailAddress, parseMailAddresses } from '../../../lib/mail-address';

test.each([
  ['ada@example.com', '', 'ada@example.com'],
  ['  ada+tag@sub.example.com ', '', 'ada+tag@sub.example.com'],
  ['<ada@example.com>', '', 'ada@example.com'],
  ['Ada Lovelace <ada@example.com>', 'Ada Lovelace', 'ada@example.com'],
  ['"Lovelace, \\"Ada\\"" <ada@example.com>', 'Lovelace, "Ada"', 'ada@example.com'],
  ['Jürgen <jürgen@müller.example>', 'Jürgen', 'jürgen@müller.example'],
])('%s is a mailbox', (text, name, address) => {
  expect(parseMailAddress(text)).toEqual({ name, address });
});

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@example.com\r\nbcc: eve@example.com',
  'Ada\n <ada@example.com>',
  'ada@example.com, eve@example.com',
  '<ada@example.com> <eve@example.com>',
  'Ada <ada@example.com> eve',
  'ada eve@example.com',
  '"ada eve"@example.com',
  'eve@evil.example@example.com',
  'ada@[127.0.0.1]',
  'ada@127.0.0.1',
  'ada@exa mple.com',
  'ada@example.com/x',
  'friends: ada@example.com;',
  'ada(comment)@example.com',
  `${'a'.repeat(65)}@example.com`,
])('%j is not a mailbox', (text) => {
  expect(parseMailAddress(text)).toBeNull();
});

test('several addresses are separated by commas outside of quotes', () => {
  expect(parseMailAddresses('a@x.example, "B, b" <b@x.example>,c@x.example')).toEqual([
    { name: '', address: 'a@x.example' },
    { name: 'B, b', address: 'b@x.example' },
    { name: '', address: 'c@x.example' },
  ]);
  expect(parseMailAddresses('a@x.example, b')).toBeNull();
  expect(parseMailAddresses('')).toEqual([]);
});

test('a text of quotes is parsed quickly', () => {
  const began = performance.now();
  expect(parseMailAddresses('"'.repeat(10_000))).toBeNull();
  expect(performance.now() - began).toBeLessThan(500);
});
