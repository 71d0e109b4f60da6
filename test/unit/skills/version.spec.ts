import { parseVersion } from '../../../services/skills/rules/version';

test.each([
  ['1.2.3', '1.2.3'],
  ['0.0.0', '0.0.0'],
  ['1', '1.0.0'],
  ['1.2', '1.2.0'],
  ['1.0.0-alpha.1', '1.0.0-alpha.1'],
  ['1.0.0--.x-y', '1.0.0--.x-y'],
  ['1.0.0-0a', '1.0.0-0a'],
])('%s is the version %s', (text, version) => expect(parseVersion(text)).toBe(version));

test.each([
  '',
  'x',
  'v1.0.0',
  '1.',
  '01.0.0',
  '01',
  '1.0.0-',
  '1.0.0-01',
  '1.0.0-a..b',
  '1.0.0-a_b',
  '1.0.0+build',
  '1.2.3.4',
  '1.0-a',
  `1.${'9'.repeat(80)}.0`,
  '-1.0.0',
  ' 1.0.0',
  '1.0.0\n',
])('%j is not a version', (text) => expect(parseVersion(text)).toBeNull());
