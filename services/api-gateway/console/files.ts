import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { lookup } from 'mime-types';
import { sha256 } from '../../../lib/crypto';
import { isObject, type Json } from '../../../lib/json';

/** Codings that the build makes beside each file, the smaller first. */
const CODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/** Names that contain a hash of the content. */
const HASHED_FOLDER = 'assets/';

/** What a browser loads for an entry of the build beside the console. */
export interface BuiltEntry {
  readonly file: string;
  readonly styles: readonly string[];
  /** All of its files, with those that its script imports. */
  readonly files: ReadonlySet<string>;
}

export interface ConsoleFile {
  readonly path: string;
  readonly contentType: string;
  /** True when the name changes with the content. */
  readonly hashed: boolean;
  readonly etag: string;
}

interface EncodedFile {
  readonly bytes: Buffer;
  /** Null for the file as it is. */
  readonly coding: string | null;
}

/** The folder of the built console, found by walking up from compiled files and sources alike; null without a build. */
export function consoleFolder(from = __dirname): string | null {
  const folder = join(from, 'console', 'dist');
  if (existsSync(join(folder, 'index.html'))) return folder;
  return dirname(from) === from ? null : consoleFolder(dirname(from));
}

/** The files of one build, read into memory at their first use. */
export class ConsoleFiles {
  readonly #files = new Map<string, ConsoleFile>();
  readonly #bytes = new Map<string, Buffer>();
  readonly #builtAt: number;
  #entries: ReadonlyMap<string, BuiltEntry> | null = null;

  constructor(readonly folder: string) {
    this.#builtAt = buildTime(folder);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
      if (entry.isFile() && !path.startsWith('.')) this.#add(path);
    }
  }

  /** False after the next build. */
  get isCurrent(): boolean {
    return this.#builtAt === buildTime(this.folder);
  }

  /** Null where the build has no such file. */
  find(path: string): ConsoleFile | null {
    return this.#files.get(path) ?? null;
  }

  /** An entry by its source; null where the build has none. */
  entry(source: string): BuiltEntry | null {
    this.#entries ??= entriesIn(this.folder);
    return this.#entries.get(source) ?? null;
  }

  /** The smallest form of a file that the client accepts. */
  encoded({ path }: ConsoleFile, acceptEncoding: string | undefined): EncodedFile {
    for (const { name, extension } of CODINGS) {
      if (!this.#files.has(path + extension) || !accepts(acceptEncoding, name)) continue;
      return { bytes: this.#read(path + extension), coding: name };
    }
    return { bytes: this.#read(path), coding: null };
  }

  #add(path: string): void {
    const contentType = lookup(path) || 'application/octet-stream';
    const isText = contentType.startsWith('text/') || extname(path) === '.svg';
    this.#files.set(path, {
      path,
      contentType: isText ? `${contentType}; charset=utf-8` : contentType,
      hashed: path.startsWith(HASHED_FOLDER),
      etag: `"${sha256(`${this.#builtAt} ${path}`).slice(0, 32)}"`,
    });
  }

  #read(path: string): Buffer {
    const known = this.#bytes.get(path);
    if (known !== undefined) return known;
    const bytes = readFileSync(join(this.folder, path));
    this.#bytes.set(path, bytes);
    return bytes;
  }
}

/** The entries of a build, as its manifest names them. */
function entriesIn(folder: string): ReadonlyMap<string, BuiltEntry> {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Json;
  const chunks = new Map(
    isObject(manifest) ? Object.entries(manifest).map(([key, chunk]) => [key, chunkOf(chunk)]) : [],
  );
  const filesOf = (key: string, found = new Set<string>()): Set<string> => {
    const chunk = chunks.get(key);
    if (chunk === undefined || found.has(chunk.file)) return found;
    for (const file of [chunk.file, ...chunk.styles]) found.add(file);
    for (const imported of chunk.imports) filesOf(imported, found);
    return found;
  };
  return new Map([...chunks].map(([key, { file, styles }]) => [key, { file, styles, files: filesOf(key) }] as const));
}

function chunkOf(chunk: Json | undefined) {
  const { file = '', css = [], imports = [] } = isObject(chunk) ? chunk : {};
  const texts = (value: Json): string[] => (Array.isArray(value) ? value.map(String) : []);
  return { file: String(file), styles: texts(css), imports: texts(imports) };
}

/** Zero while a build replaces the folder. */
const buildTime = (folder: string): number =>
  statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether Accept-Encoding names a coding and does not refuse it (RFC 9110 section 12.5.3). */
function accepts(field: string | undefined, coding: string): boolean {
  return (field ?? '').split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
