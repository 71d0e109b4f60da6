import type { CredentialField } from '../../../nodes/connectors/contract';
import { parseCredentials } from '../../../services/connections/fields';
import { nameProblem } from '../../../services/connections/store';

const field = (given: Partial<CredentialField>): CredentialField => ({
  name: 'it',
  title: 'It',
  description: 'It.',
  secret: false,
  required: true,
  ...given,
});

test.each<[NonNullable<CredentialField['format']>, unknown[], unknown[]]>([
  [
    'url',
    ['https://a.example', 'http://a.example/b?c=d'],
    [
      'a.example',
      'ftp://a.example',
      'javascript:alert(1)',
      'https://ann:secret@a.example',
      'https://a b',
      'https://a\n.example',
    ],
  ],
  [
    'host',
    ['a.example', 'localhost', '10.0.0.1', '::1', '[::1]', 'db_1'],
    ['http://a', 'a b', 'a/b', 'a@b', '', '-', 'a?b', 'a#b'],
  ],
  ['port', [1, '443', 65_535], [0, 65_536, '80a', -1, 1.5, '']],
  ['email', ['ann@example.com'], ['ann', '@example.com', 'a b@c', 'ann@']],
  ['flag', [true, 'false'], ['yes', 1, 'TRUE']],
])('a field of format %s takes valid texts only', (format, good, bad) => {
  const fields = [field({ format })];
  for (const it of good) expect(parseCredentials(fields, { it })).toEqual({ it: String(it) });
  for (const it of bad) expect(() => parseCredentials(fields, { it })).toThrow('credentials.it');
});

test('a long text that is not a host is refused quickly', () => {
  const begun = performance.now();
  for (const it of ['a'.repeat(252) + '!', 'a.'.repeat(126) + '!', ':'.repeat(16_000) + '!'])
    expect(() => parseCredentials([field({ format: 'host' })], { it })).toThrow('credentials.it');
  expect(performance.now() - begun).toBeLessThan(500);
});

test('missing fields get their defaults; optional fields may be missing', () => {
  const fields = [field({ name: 'port', default: '443' }), field({ name: 'note', required: false })];
  expect(parseCredentials(fields, {})).toEqual({ port: '443' });
  expect(parseCredentials(fields, { port: null, note: '' })).toEqual({ port: '443' });
});

test('all faults are reported together, without values', () => {
  const fields = [field({ name: 'a', format: 'port' }), field({ name: 'b' })];
  const refused = (): unknown => {
    try {
      return parseCredentials(fields, { a: 'finch-in-the-vault', c: 'finch-in-the-vault' });
    } catch (error) {
      return error;
    }
  };
  const { message, data } = refused() as { message: string; data: { details: { path: string }[] } };
  expect(data.details.map(({ path }) => path).sort()).toEqual(['credentials.a', 'credentials.b', 'credentials.c']);
  expect(message + JSON.stringify(data)).not.toContain('finch');
});

test.each([null, [], 'text', 7])('credentials that are %j are refused', (given) => {
  expect(() => parseCredentials([], given)).toThrow('must be an object');
});

test('a name is one line and does not look like an id', () => {
  for (const name of ['work', 'Ann @ home', 'ünïcode']) expect(nameProblem(name)).toBeNull();
  for (const name of [
    '',
    ' ',
    ' a',
    'a\nb',
    'a\u0000',
    '\ud800',
    'x'.repeat(101),
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  ])
    expect(nameProblem(name)).not.toBeNull();
});
