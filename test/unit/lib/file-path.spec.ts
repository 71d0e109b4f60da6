import { posix } from 'node:path';
import fc from 'fast-check';
import { filePath } from '../../../lib/file-path';
import { isMediaType, mediaTypeOfName } from '../../../lib/media-type';

const problem = (text: string): string | null => {
  const path = filePath(text);
  return path.kind === 'path' ? null : path.problem;
};

describe('the path of a file', () => {
  test.each([
    ['a.txt', 'a.txt', 'a.txt'],
    ['reports/2026/x y.csv', 'reports/2026/x y.csv', 'x y.csv'],
    ['...', '...', '...'],
    ['.hidden', '.hidden', '.hidden'],
    ['%2e%2e/a', '%2e%2e/a', 'a'],
    ['u\u0308', '\u00fc', '\u00fc'],
    ['C:file', 'C:file', 'C:file'],
    ['\u{1f600}', '\u{1f600}', '\u{1f600}'],
    [`${'x'.repeat(255)}/y`, `${'x'.repeat(255)}/y`, 'y'],
    ['a/'.repeat(15) + 'b', 'a/'.repeat(15) + 'b', 'b'],
  ])('%j is kept as %j', (text, path, name) => expect(filePath(text)).toEqual({ kind: 'path', path, name }));

  test.each([
    ['', 'the path is empty'],
    ['/a', 'the path begins with a slash; it is relative to the workspace of the run'],
    ['a\\b', 'the path has a backslash; separate folders by /'],
    ['a//b', 'the path has an empty segment'],
    ['a/', 'the path has an empty segment'],
    ['a/./b', 'the path has a segment . or ..'],
    ['..', 'the path has a segment . or ..'],
    ['a\u007f', 'the path has a control character'],
    ['a\u2066b', 'the path has a control character'],
    ['\udc00', 'the path is not well-formed Unicode'],
    ['x'.repeat(256), 'a segment of the path is longer than 255 bytes'],
    ['a/'.repeat(16) + 'b', 'the path has more than 16 segments'],
    ['x'.repeat(100_000), 'the path is longer than 1024 bytes'],
  ])('%j is refused: %s', (text, why) => expect(problem(text)).toBe(why));

  test('stays within its workspace, and its normal form is stable, for any text', () => {
    const part = fc.constantFrom(
      'a',
      '..',
      '.',
      '',
      '%2f',
      '\\',
      '\u0000',
      '\u202e',
      'e\u0301',
      '\ud800',
      ' ',
      '~',
      '\u2126',
    );
    const text = fc.array(fc.oneof(part, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 20 });
    fc.assert(
      fc.property(text, fc.constantFrom('', '/'), (parts, between) => {
        const path = filePath(parts.join(between));
        if (path.kind === 'unusable') return;
        expect(posix.join('/runs/one', path.path)).toBe(`/runs/one/${path.path}`);
        expect(filePath(path.path)).toEqual(path);
        expect(path.path.endsWith(path.name)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['text/csv', true],
  ['text/csv; charset=utf-8', true],
  ['multipart/form-data; boundary="a b"', true],
  ['text', false],
  ['text/', false],
  ['text/csv;', false],
  ['text/csv\r\nx: y', false],
  ['text/csv; a="\n"', false],
  ['text/\u00e9', false],
  [`a/${'b'.repeat(200)}`, false],
])('%j is a media type: %p', (text, is) => expect(isMediaType(text)).toBe(is));

test('the media type comes from the extension, not from inherited properties', () => {
  expect(mediaTypeOfName('a.b.CSV')).toBe('text/csv; charset=utf-8');
  for (const name of ['a.constructor', 'a.__proto__', 'a', 'a.']) expect(mediaTypeOfName(name)).toBeNull();
});
