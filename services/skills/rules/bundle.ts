/**
 * Parses a bundle: a ZIP archive with SKILL.md at its root or in its only root folder, or SKILL.md alone. Pure, and total
 * on any bytes. Nothing is written to disk.
 */
import type { ErrorDetail } from '../../../lib/errors';
import { readZip, type ZipEntry, ZipError } from '../../../lib/zip';
import { DEFINITION_FILE, type Definition, parseDefinition } from './definition';
import { type Validation, errorAt, invalid, valid } from './validation';
import { validateFileSet, skillPath, type StoredFile, decodeText } from './files';
import { MAX_BUNDLE_BYTES, MAX_ENTRIES, MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from './limits';

interface Bundle extends Definition {
  readonly files: readonly StoredFile[];
}

const LIMITS = { entries: MAX_ENTRIES, entryBytes: MAX_FILE_BYTES, totalBytes: 2 * MAX_TOTAL_BYTES, ratio: 200 };

/** Files that operating systems add to archives. */
const SYSTEM_FILES = /(?:^|\/)(?:__MACOSX(?:\/|$)|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i;

/** Returns the skill, or all errors with the names of the entries as paths. */
export function readBundle(bytes: Uint8Array): Validation<Bundle> {
  if (bytes.length > MAX_BUNDLE_BYTES) return invalid([errorAt('file', `has more than ${MAX_BUNDLE_BYTES} bytes`)]);
  const text = bytes[0] === 0x50 ? null : decodeText(bytes);
  if (text !== null && /^\ufeff?---/.test(text)) return bundleOf(text, [], null);
  try {
    return readArchive(bytes);
  } catch (thrown) {
    if (thrown instanceof ZipError) return invalid([errorAt('file', thrown.message)]);
    throw thrown;
  }
}

/** @throws ZipError */
function readArchive(bytes: Uint8Array): Validation<Bundle> {
  const entries = readZip(bytes, LIMITS).filter(({ name }) => !SYSTEM_FILES.test(name));
  const errors = entries.flatMap(problemsOf);
  if (errors.length > 0) return invalid(errors);
  const files = entries.filter(({ isDirectory }) => !isDirectory);
  if (files.length > MAX_FILES + 1) return invalid([errorAt('files', `has more than ${MAX_FILES} files`)]);
  const top = rootFolderOf(files);
  const within = files.map((entry) => ({ entry, path: entry.name.slice(top === null ? 0 : top.length + 1) }));
  const definitions = within.filter(({ path }) => path.toLowerCase() === DEFINITION_FILE.toLowerCase());
  const [definition] = definitions;
  if (definition === undefined) {
    return invalid([errorAt('file', `has no ${DEFINITION_FILE} at its root or in a single root folder`)]);
  }
  if (definitions.length > 1)
    return invalid([errorAt(definition.entry.name, `the archive has more than one ${DEFINITION_FILE}`)]);
  const text = decodeText(definition.entry.content());
  if (text === null) return invalid([errorAt(definition.entry.name, 'is not UTF-8 text')]);
  const rest = within.filter((each) => each !== definition);
  return bundleOf(text, rest, top);
}

/** @throws ZipError */
function bundleOf(
  text: string,
  rest: readonly { readonly entry: ZipEntry; readonly path: string }[],
  top: string | null,
): Validation<Bundle> {
  const definition = parseDefinition(text);
  const placed = rest.map(({ entry, path }) => ({ entry, place: skillPath(path) }));
  const unusable = placed.flatMap(({ entry, place }) =>
    place.kind === 'unusable' ? [errorAt(entry.name, place.problem)] : [],
  );
  if (unusable.length > 0) return invalid(unusable);
  const stored = placed.flatMap(({ entry, place }): StoredFile[] =>
    place.kind === 'path' ? [{ path: place.path, bytes: entry.content() }] : [],
  );
  const files = validateFileSet(stored, ({ path }) => path);
  if (definition.kind === 'invalid') return definition;
  if (files.kind === 'invalid') return files;
  const { head, warnings } = definition.value;
  const renamed = top === null || top === head.name ? [] : [`the folder ${top} should be named ${head.name}`];
  return valid({ ...definition.value, warnings: [...warnings, ...renamed], files: files.value });
}

function problemsOf({ name, isDirectory, isSymlink }: ZipEntry): ErrorDetail[] {
  if (isSymlink) return [errorAt(name, 'is a symbolic link; add the file itself to the archive')];
  // Some programs add an entry for the root folder.
  const path = isDirectory ? name.replace(/^\.\/|\/$/g, '') : name;
  if (isDirectory && path === '') return [];
  const place = isDefinition(path) ? null : skillPath(path);
  return place?.kind === 'unusable' ? [errorAt(name, place.problem)] : [];
}

const isDefinition = (path: string): boolean => path.toLowerCase() === DEFINITION_FILE.toLowerCase();

/** The single root folder; null if the definition is at the root, or the archive has several root entries. */
function rootFolderOf(files: readonly ZipEntry[]): string | null {
  if (files.some(({ name }) => isDefinition(name))) return null;
  const tops = new Set(files.map(({ name }) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')));
  const [top = ''] = tops;
  return tops.size === 1 && top !== '' ? top : null;
}
