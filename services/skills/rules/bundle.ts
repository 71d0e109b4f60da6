/**
 * Reads a bundle: a ZIP archive with SKILL.md at its root or in its one folder, or SKILL.md alone. Pure and total on any
 * bytes; nothing is unpacked to disk, and no path of the archive is ever opened.
 */
import type { ErrorDetail } from '../../../lib/errors';
import { readZip, type ZipEntry, ZipError } from '../../../lib/zip';
import { DEFINITION_FILE, type Definition, readDefinition } from './definition';
import { type Checked, fault, faulty, value } from './fault';
import { arranged, skillPath, type StoredFile, textIn } from './files';
import { MAX_BUNDLE_BYTES, MAX_ENTRIES, MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES } from './limits';

/** What a bundle holds. */
interface Bundle extends Definition {
  readonly files: readonly StoredFile[];
}

const LIMITS = { entries: MAX_ENTRIES, entryBytes: MAX_FILE_BYTES, totalBytes: 2 * MAX_TOTAL_BYTES, ratio: 200 };

/** What systems put into archives by themselves. */
const LITTER = /(?:^|\/)(?:__MACOSX(?:\/|$)|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i;

/** The skill in a bundle, or everything that is wrong with it; paths are names of entries. */
export function readBundle(bytes: Uint8Array): Checked<Bundle> {
  if (bytes.length > MAX_BUNDLE_BYTES) return faulty([fault('file', `has more than ${MAX_BUNDLE_BYTES} bytes`)]);
  const text = bytes[0] === 0x50 ? null : textIn(bytes);
  if (text !== null && /^\ufeff?---/.test(text)) return withFiles(text, [], null);
  try {
    return readArchive(bytes);
  } catch (thrown) {
    if (thrown instanceof ZipError) return faulty([fault('file', thrown.message)]);
    throw thrown;
  }
}

/** @throws ZipError */
function readArchive(bytes: Uint8Array): Checked<Bundle> {
  const entries = readZip(bytes, LIMITS).filter(({ name }) => !LITTER.test(name));
  const faults = entries.flatMap(problemsOf);
  if (faults.length > 0) return faulty(faults);
  const files = entries.filter(({ isDirectory }) => !isDirectory);
  if (files.length > MAX_FILES + 1) return faulty([fault('files', `has more than ${MAX_FILES} files`)]);
  const top = topOf(files);
  const within = files.map((entry) => ({ entry, path: entry.name.slice(top === null ? 0 : top.length + 1) }));
  const definitions = within.filter(({ path }) => path.toLowerCase() === DEFINITION_FILE.toLowerCase());
  const [definition] = definitions;
  if (definition === undefined) {
    return faulty([fault('file', `has no ${DEFINITION_FILE} at its root, nor in one folder that holds all the rest`)]);
  }
  if (definitions.length > 1) return faulty([fault(definition.entry.name, `there are two files ${DEFINITION_FILE}`)]);
  const text = textIn(definition.entry.content());
  if (text === null) return faulty([fault(definition.entry.name, 'is no text in UTF-8')]);
  const rest = within.filter((each) => each !== definition);
  return withFiles(text, rest, top);
}

/** @throws ZipError */
function withFiles(
  text: string,
  rest: readonly { readonly entry: ZipEntry; readonly path: string }[],
  top: string | null,
): Checked<Bundle> {
  const definition = readDefinition(text);
  const placed = rest.map(({ entry, path }) => ({ entry, place: skillPath(path) }));
  const unusable = placed.flatMap(({ entry, place }) =>
    place.kind === 'unusable' ? [fault(entry.name, place.problem)] : [],
  );
  if (unusable.length > 0) return faulty(unusable);
  const stored = placed.flatMap(({ entry, place }): StoredFile[] =>
    place.kind === 'path' ? [{ path: place.path, bytes: entry.content() }] : [],
  );
  const files = arranged(stored, ({ path }) => path);
  if (definition.kind === 'faults') return definition;
  if (files.kind === 'faults') return files;
  const { head, warnings } = definition.value;
  const renamed = top === null || top === head.name ? [] : [`the folder ${top} is not called ${head.name}`];
  return value({ ...definition.value, warnings: [...warnings, ...renamed], files: files.value });
}

function problemsOf({ name, isDirectory, isSymlink }: ZipEntry): ErrorDetail[] {
  if (isSymlink) return [fault(name, 'is a link; put the file itself into the archive')];
  // Its own root is a folder that some programs list.
  const path = isDirectory ? name.replace(/^\.\/|\/$/g, '') : name;
  if (isDirectory && path === '') return [];
  const place = isDefinition(path) ? null : skillPath(path);
  return place?.kind === 'unusable' ? [fault(name, place.problem)] : [];
}

const isDefinition = (path: string): boolean => path.toLowerCase() === DEFINITION_FILE.toLowerCase();

/** The one folder that holds everything; null where the definition stands at the root, or there is no such folder. */
function topOf(files: readonly ZipEntry[]): string | null {
  if (files.some(({ name }) => isDefinition(name))) return null;
  const tops = new Set(files.map(({ name }) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')));
  const [top = ''] = tops;
  return tops.size === 1 && top !== '' ? top : null;
}
