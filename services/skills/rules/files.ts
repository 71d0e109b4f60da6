/** The files of a skill beside its definition: where they may lie, how many, how large. Pure and total on any value. */
import { decodeBase64 } from '../../../lib/base64';
import { sha256 } from '../../../lib/crypto';
import type { ErrorDetail } from '../../../lib/errors';
import { filePath } from '../../../lib/file-path';
import { isObject } from '../../../lib/json';
import type { SkillFile, SkillFileView } from '../../../contracts/skills/views';
import { DEFINITION_FILE } from './definition';
import { type Checked, fault, faulty, value } from './fault';
import { isWellFormed } from './head';
import { MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from './limits';

/** A file as it is kept. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Names that are devices on Windows, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const DRIVE = /^[A-Za-z]:/;
const UNPORTABLE = /[<>:"|?*]/;

/** The path of a file in the one form in which it is kept, or what is wrong with it. */
export function skillPath(text: string): { kind: 'path'; path: string } | { kind: 'unusable'; problem: string } {
  const unusable = (problem: string) => ({ kind: 'unusable', problem }) as const;
  if (DRIVE.test(text)) return unusable('the path names a drive');
  const found = filePath(text);
  if (found.kind === 'unusable') return unusable(found.problem.replace('the workspace of the run', 'the skill'));
  const { path } = found;
  if (path.toLowerCase() === DEFINITION_FILE.toLowerCase())
    return unusable(`${DEFINITION_FILE} is the definition itself, and no further file`);
  for (const segment of path.split('/')) {
    if (DEVICE.test(segment)) return unusable(`${segment} is the name of a device on Windows`);
    if (UNPORTABLE.test(segment)) return unusable('the path has one of < > : " | ? *, which not every system can keep');
    if (/[. ]$/.test(segment)) return unusable('a segment of the path ends with a dot or a blank');
  }
  return found;
}

/** Files of a request, sorted by path; or everything that is wrong with them. */
export function readFiles(given: unknown): Checked<StoredFile[]> {
  if (given === undefined || given === null) return value([]);
  if (!Array.isArray(given)) return faulty([fault('files', 'must be a list')]);
  if (given.length > MAX_FILES) return faulty([fault('files', `has more than ${MAX_FILES} files`)]);
  const faults: ErrorDetail[] = [];
  const files = given.flatMap((entry: unknown, index) => readFile(entry, `files[${index}]`, faults));
  return faults.length === 0 ? arranged(files, (_file, index) => `files[${index}].path`) : faulty(faults);
}

function readFile(given: unknown, at: string, faults: ErrorDetail[]): StoredFile[] {
  if (!isObject(given) || typeof given.path !== 'string') {
    faults.push(fault(`${at}.path`, 'must be a text'));
    return [];
  }
  const place = skillPath(given.path);
  const bytes = bytesOf(given);
  if (place.kind === 'unusable') faults.push(fault(`${at}.path`, place.problem));
  if (typeof bytes === 'string') faults.push(fault(at, bytes));
  return place.kind === 'unusable' || typeof bytes === 'string' ? [] : [{ path: place.path, bytes }];
}

/** The content, or what is wrong with it. */
function bytesOf({ content, base64 }: Record<string, unknown>): Uint8Array | string {
  if (typeof content === 'string' && (base64 === undefined || base64 === null))
    return isWellFormed(content) ? Buffer.from(content) : 'has a "content" that is no well-formed text';
  if (typeof base64 !== 'string' || (content !== undefined && content !== null))
    return 'must have either "content", a text, or "base64"';
  return decodeBase64(base64) ?? 'has a "base64" that is none';
}

/** The files in order, where they can lie beside each other and are not too large. `placeOf` says where a fault is. */
export function arranged(
  files: readonly StoredFile[],
  placeOf: (file: StoredFile, index: number) => string,
): Checked<StoredFile[]> {
  const faults: ErrorDetail[] = [];
  if (files.length > MAX_FILES) faults.push(fault('files', `has more than ${MAX_FILES} files`));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > MAX_TOTAL_BYTES) faults.push(fault('files', `has more than ${MAX_TOTAL_BYTES} bytes in all`));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(folded(path))));
  const seen = new Map<string, string>();
  files.forEach((file, index) => {
    const { path, bytes } = file;
    const key = folded(path);
    const other = seen.get(key);
    seen.set(key, path);
    if (other !== undefined) faults.push(fault(placeOf(file, index), sameProblem(path, other)));
    if (folders.has(key)) faults.push(fault(placeOf(file, index), `${path} is a file and a folder`));
    if (bytes.length > MAX_FILE_BYTES)
      faults.push(fault(placeOf(file, index), `${path} has more than ${MAX_FILE_BYTES} bytes`));
  });
  return faults.length === 0 ? value([...files].sort((a, b) => (a.path < b.path ? -1 : 1))) : faulty(faults);
}

/** Systems that do not tell case apart would keep one of two files. */
const folded = (path: string): string => path.normalize('NFKC').toLowerCase();

const sameProblem = (path: string, other: string): string =>
  path === other ? `${path} is there twice` : `${path} and ${other} differ in case alone`;

function foldersOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_segment, index) => segments.slice(0, index + 1).join('/'));
}

/** The text of bytes that are UTF-8 without a NUL; null for others. */
export function textIn(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not well-formed is what the decoder throws for, and nothing else.
    return null;
  }
}

/** A file as its owner sees it. */
export function fileView({ path, bytes }: StoredFile): SkillFile {
  const text = textIn(bytes);
  return text === null ? { path, base64: Buffer.from(bytes).toString('base64') } : { path, content: text };
}

/** The same without its content. */
export const fileRow = ({ path, bytes }: StoredFile): SkillFileView => ({
  path,
  size: bytes.length,
  sha256: sha256(bytes),
  text: textIn(bytes) !== null,
});
