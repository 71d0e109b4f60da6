import { bumped, compareVersions, parseVersion, type Version, versionText } from '../../../lib/semver';

const version = (text: string): Version => {
  const found = parseVersion(text);
  if (found === null) throw new Error(`${text} is no version`);
  return found;
};

test.each([
  ['1.2.3', '1.2.3'],
  ['0.0.0', '0.0.0'],
  ['1', '1.0.0'],
  ['1.2', '1.2.0'],
  ['1.0.0-alpha.1', '1.0.0-alpha.1'],
  ['1.0.0--.x-y', '1.0.0--.x-y'],
  ['1.0.0-0a', '1.0.0-0a'],
])('%s is the version %s', (text, written) => expect(versionText(version(text))).toBe(written));

test.each([
  '',
  'x',
  'v1.0.0',
  '1.',
  '01.0.0',
  '1.0.0-',
  '1.0.0-01',
  '1.0.0-a..b',
  '1.0.0+build',
  '1.2.3.4',
  '1.0-a',
  `1.${'9'.repeat(80)}.0`,
  '-1.0.0',
  ' 1.0.0',
  '1.0.0\n',
])('%j is none', (text) => expect(parseVersion(text)).toBeNull());

test('their order is that of the standard', () => {
  const rising = ['0.9.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'];
  rising.push('1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.10', '1.2.0', '2.0.0', '10.0.0');
  const shuffled = [...rising].reverse().map(version).sort(compareVersions);
  expect(shuffled.map(versionText)).toEqual(rising);
  expect(compareVersions(version('1.0.0-a'), version('1.0.0-a'))).toBe(0);
});

test.each([
  ['1.2.3', 'patch', '1.2.4'],
  ['1.2.3', 'minor', '1.3.0'],
  ['1.2.3', 'major', '2.0.0'],
  ['1.2.3-rc.1', 'patch', '1.2.3'],
  ['1.2.3-rc.1', 'minor', '1.3.0'],
  ['2.0.0-rc.1', 'major', '2.0.0'],
  ['2.1.0-rc.1', 'minor', '2.1.0'],
] as const)('%s with the next %s is %s', (from, part, to) => expect(versionText(bumped(version(from), part))).toBe(to));
