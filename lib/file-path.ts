/** Limits of a file path in a workspace. */
const MAX_PATH_BYTES = 1_024;
const MAX_SEGMENT_BYTES = 255;
const MAX_SEGMENTS = 16;

/** Control characters, and characters that change the text direction, so that a name looks like another one. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/u;

/** A valid path in its normal form, or an error message. */
type FilePath =
  | { readonly kind: 'path'; readonly path: string; readonly name: string }
  | { readonly kind: 'unusable'; readonly problem: string };

/**
 * Normalizes the path of a file in a workspace: relative, with segments separated by slashes, none empty, `.` or `..`.
 * In Unicode NFC, so that equal-looking paths are equal. Pure.
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
  // Too long even after composition; bounds the work below.
  if (text.length > MAX_PATH_BYTES * 4) return `the path is longer than ${MAX_PATH_BYTES} bytes`;
  if (text === '') return 'the path is empty';
  if (/\p{Surrogate}/u.test(text)) return 'the path is not well-formed Unicode';
  if (UNSEEN.test(text)) return 'the path has a control character';
  if (text.includes('\\')) return 'the path has a backslash; separate folders by /';
  if (text.startsWith('/')) return 'the path begins with a slash; it is relative to the workspace of the run';
  return null;
}

function lengthProblem(path: string): string | null {
  const segments = path.split('/');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `the path is longer than ${MAX_PATH_BYTES} bytes`;
  if (segments.length > MAX_SEGMENTS) return `the path has more than ${MAX_SEGMENTS} segments`;
  for (const segment of segments) {
    if (segment === '') return 'the path has an empty segment';
    if (segment === '.' || segment === '..') return 'the path has a segment . or ..';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return `a segment of the path is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return null;
}
