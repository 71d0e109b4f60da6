/** What the path of a file in a workspace may be, in bytes of UTF-8 and in segments. */
const MOST_BYTES = 1_024;
const MOST_OF_SEGMENT = 255;
const MOST_SEGMENTS = 16;

/** Control characters, and those that turn the direction of text, by which a name looks like another one. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/u;

/** A path that can be used, in the one form that it is stored in; or what is wrong with it, in words. */
export type FilePath =
  | { readonly kind: 'path'; readonly path: string; readonly name: string }
  | { readonly kind: 'unusable'; readonly problem: string };

/**
 * The path of a file in a workspace: relative, of segments between slashes, none of which is empty, `.` or `..`. Composed
 * (Unicode NFC), so that what looks the same is the same. Pure.
 */
export function filePath(text: string): FilePath {
  const problem = problemOf(text);
  if (problem !== null) return { kind: 'unusable', problem };
  const path = text.normalize('NFC');
  const tooLong = lengthProblem(path);
  if (tooLong !== null) return { kind: 'unusable', problem: tooLong };
  return { kind: 'path', path, name: path.slice(path.lastIndexOf('/') + 1) };
}

function problemOf(text: string): string | null {
  // Longer than any that composing could make short enough, so that nothing long is looked at closely.
  if (text.length > MOST_BYTES * 4) return `the path is longer than ${MOST_BYTES} bytes`;
  if (text === '') return 'the path is empty';
  if (/\p{Surrogate}/u.test(text)) return 'the path is no well-formed text';
  if (UNSEEN.test(text)) return 'the path has a control character';
  if (text.includes('\\')) return 'the path has a backslash; folders are parted by /';
  if (text.startsWith('/')) return 'the path begins with a slash; it is relative to the workspace of the run';
  return null;
}

function lengthProblem(path: string): string | null {
  const segments = path.split('/');
  if (Buffer.byteLength(path) > MOST_BYTES) return `the path is longer than ${MOST_BYTES} bytes`;
  if (segments.length > MOST_SEGMENTS) return `the path has more than ${MOST_SEGMENTS} segments`;
  for (const segment of segments) {
    if (segment === '') return 'the path has an empty segment';
    if (segment === '.' || segment === '..') return 'the path has a segment . or ..';
    if (Buffer.byteLength(segment) > MOST_OF_SEGMENT)
      return `a segment of the path is longer than ${MOST_OF_SEGMENT} bytes`;
  }
  return null;
}
