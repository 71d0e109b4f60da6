/** Validates the files of a skill besides its definition: paths, number and sizes. Pure, and total on any value. */
import { decodeBase64 } from '../../../lib/base64';
import { sha256 } from '../../../lib/crypto';
import type { ErrorDetail } from '../../../lib/errors';
import { filePath } from '../../../lib/file-path';
import { isObject } from '../../../lib/json';
import type { SkillFile, SkillFileView } from '../../../contracts/skills/views';
import { DEFINITION_FILE } from './definition';
import { type Validation, errorAt, invalid, valid } from './validation';
import { isWellFormed } from './head';
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from './limits';

export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Names that Windows reserves for devices, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const DRIVE = /^[A-Za-z]:/;
const UNPORTABLE = /[<>:"|?*]/;

/** Returns the normalized path, or its problem. */
export function skillPath(text: string): { kind: 'path'; path: string } | { kind: 'unusable'; problem: string } {
  const unusable = (problem: string) => ({ kind: 'unusable', problem }) as const;
  if (DRIVE.test(text)) return unusable('the path starts with a drive letter');
  const found = filePath(text);
  if (found.kind === 'unusable') return unusable(found.problem.replace('the workspace of the run', 'the skill'));
  const { path } = found;
  if (path.toLowerCase() === DEFINITION_FILE.toLowerCase())
    return unusable(`${DEFINITION_FILE} is the definition and cannot be an additional file`);
  for (const segment of path.split('/')) {
    if (WINDOWS_DEVICE.test(segment)) return unusable(`${segment} is a reserved device name on Windows`);
    if (UNPORTABLE.test(segment))
      return unusable('the path has one of < > : " | ? *, which some file systems do not support');
    if (/[. ]$/.test(segment)) return unusable('a segment of the path ends with a dot or a space');
  }
  return found;
}

/** Returns the files of a request sorted by path, or all errors. */
export function parseFiles(given: unknown): Validation<StoredFile[]> {
  if (given === undefined || given === null) return valid([]);
  if (!Array.isArray(given)) return invalid([errorAt('files', 'must be a list')]);
  if (given.length > MAX_FILES) return invalid([errorAt('files', `has more than ${MAX_FILES} files`)]);
  const errors: ErrorDetail[] = [];
  const files = given.flatMap((entry: unknown, index) => parseFile(entry, `files[${index}]`, errors));
  return errors.length === 0 ? validateFileSet(files, (_file, index) => `files[${index}].path`) : invalid(errors);
}

function parseFile(given: unknown, at: string, errors: ErrorDetail[]): StoredFile[] {
  if (!isObject(given) || typeof given.path !== 'string') {
    errors.push(errorAt(`${at}.path`, 'must be a text'));
    return [];
  }
  const place = skillPath(given.path);
  const bytes = bytesOf(given);
  if (place.kind === 'unusable') errors.push(errorAt(`${at}.path`, place.problem));
  if (typeof bytes === 'string') errors.push(errorAt(at, bytes));
  return place.kind === 'unusable' || typeof bytes === 'string' ? [] : [{ path: place.path, bytes }];
}

/** Returns the content, or its problem as a string. */
function bytesOf({ content, base64 }: Record<string, unknown>): Uint8Array | string {
  if (typeof content === 'string' && (base64 === undefined || base64 === null))
    return isWellFormed(content) ? Buffer.from(content) : 'has a "content" with lone surrogates';
  if (typeof base64 !== 'string' || (content !== undefined && content !== null))
    return 'must have either "content" (text) or "base64"';
  return decodeBase64(base64) ?? 'has an invalid "base64"';
}

/** Returns the files sorted by path, or all errors: conflicting paths and exceeded limits. `pathOf` gives the path of an error. */
export function validateFileSet(
  files: readonly StoredFile[],
  pathOf: (file: StoredFile, index: number) => string,
): Validation<StoredFile[]> {
  const errors: ErrorDetail[] = [];
  if (files.length > MAX_FILES) errors.push(errorAt('files', `has more than ${MAX_FILES} files`));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > MAX_TOTAL_BYTES) errors.push(errorAt('files', `has more than ${MAX_TOTAL_BYTES} bytes in total`));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(caseFolded(path))));
  const seen = new Map<string, string>();
  files.forEach((file, index) => {
    const { path, bytes } = file;
    const key = caseFolded(path);
    const other = seen.get(key);
    seen.set(key, path);
    if (other !== undefined) errors.push(errorAt(pathOf(file, index), duplicateProblem(path, other)));
    if (folders.has(key)) errors.push(errorAt(pathOf(file, index), `${path} is a file and a folder`));
    if (bytes.length > MAX_FILE_BYTES)
      errors.push(errorAt(pathOf(file, index), `${path} has more than ${MAX_FILE_BYTES} bytes`));
  });
  return errors.length === 0 ? valid([...files].sort((a, b) => (a.path < b.path ? -1 : 1))) : invalid(errors);
}

/** Paths that differ only in case would overwrite each other on case-insensitive file systems. */
const caseFolded = (path: string): string => path.normalize('NFKC').toLowerCase();

const duplicateProblem = (path: string, other: string): string =>
  path === other ? `${path} is duplicated` : `${path} and ${other} differ only in case`;

function foldersOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_segment, index) => segments.slice(0, index + 1).join('/'));
}

/** Decodes UTF-8 without NUL bytes; null for other bytes. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder throws only for malformed UTF-8.
    return null;
  }
}

/** A file with its content. */
export function fileView({ path, bytes }: StoredFile): SkillFile {
  const text = decodeText(bytes);
  return text === null ? { path, base64: Buffer.from(bytes).toString('base64') } : { path, content: text };
}

/** A file without its content. */
export const fileRow = ({ path, bytes }: StoredFile): SkillFileView => ({
  path,
  size: bytes.length,
  sha256: sha256(bytes),
  text: decodeText(bytes) !== null,
});
