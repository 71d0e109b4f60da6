import { readZip, type ZipEntry, ZipError, type ZipErrorCode } from '../zip';
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

/** The parts of a document that is a ZIP archive, by name. Names are never used as file paths. */
export class Archive {
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  /** @throws ParseError */
  constructor(bytes: Uint8Array) {
    const entries = asParseError(() => readZip(bytes, ARCHIVE_LIMITS));
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Content of a part; null when there is none. @throws ParseError when it is damaged */
  find(name: string): Uint8Array | null {
    const entry = this.#entries.get(name);
    return entry === undefined ? null : asParseError(() => entry.content());
  }

  /** @throws ParseError `broken_file` when the part is missing or damaged */
  get(name: string): Uint8Array {
    const content = this.find(name);
    if (content === null) throw new ParseError('broken_file', `A part of the file is missing: ${name.slice(0, 200)}`);
    return content;
  }
}

function asParseError<T>(act: () => T): T {
  try {
    return act();
  } catch (fault) {
    if (!(fault instanceof ZipError)) throw fault;
    const hint = fault.code === 'encrypted' ? 'Remove its password.' : 'Save it again with the program it comes from.';
    throw new ParseError(FAULTS[fault.code], `The file cannot be unpacked: ${fault.message}. ${hint}`);
  }
}

/** The part that a reference in `from` points to, relative or absolute. */
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
    // decodeURIComponent only throws for a literal percent sign in the name.
    return text;
  }
}
