import { readZip, type ZipEntry, ZipError, type ZipErrorCode } from '../../../lib/zip';
import type { ParseFault } from './contract';
import { ParseError } from './fault';
import { ARCHIVE_LIMITS } from './limits';

const FAULTS: Readonly<Record<ZipErrorCode, ParseFault>> = {
  not_a_zip: 'broken_file',
  encrypted: 'encrypted',
  unsupported: 'broken_file',
  too_many_entries: 'too_complex',
  too_large: 'too_complex',
  broken: 'broken_file',
};

/** The parts of a document that is an archive, by their names, which are labels here and never paths of files. */
export class Archive {
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  /** @throws ParseError */
  constructor(bytes: Uint8Array) {
    const entries = saying(() => readZip(bytes, ARCHIVE_LIMITS));
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** A part's content; null when there is no such part. @throws ParseError when it is damaged */
  find(name: string): Uint8Array | null {
    const entry = this.#entries.get(name);
    return entry === undefined ? null : saying(() => entry.content());
  }

  /** @throws ParseError `broken_file` when there is no such part, or it is damaged */
  get(name: string): Uint8Array {
    const content = this.find(name);
    if (content === null) throw new ParseError('broken_file', `The file lacks one of its parts: ${name.slice(0, 200)}`);
    return content;
  }
}

function saying<T>(act: () => T): T {
  try {
    return act();
  } catch (fault) {
    if (!(fault instanceof ZipError)) throw fault;
    const hint = fault.code === 'encrypted' ? 'Remove its password.' : 'Save it again with the program it comes from.';
    throw new ParseError(FAULTS[fault.code], `The file cannot be unpacked: ${fault.message}. ${hint}`);
  }
}

/** The part that a reference in `from` means: relative to it, or absolute. Never leaves the archive, as it only labels. */
export function partName(from: string, reference: string): string {
  const [path = ''] = reference.split(/[?#]/, 1);
  const segments = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of percentDecoded(path).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A name with a percent sign of its own: decodeURIComponent throws for nothing else.
    return text;
  }
}
