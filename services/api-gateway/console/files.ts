import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { lookup } from 'mime-types';
import { sha256 } from '../../../lib/crypto';

/** Codings that the build makes beside each file, the smaller first. */
const CODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/** Names that contain a hash of the content. */
const HASHED_FOLDER = 'assets/';

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
