import { ZipError } from './error';

/** An entry of the archive's central directory. Offsets and sizes in bytes. */
export interface Listed {
  readonly name: string;
  readonly rawName: Uint8Array;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Offset of its local header. */
  readonly offset: number;
  /** Unix mode, 0 for archives made elsewhere; and DOS attributes. */
  readonly mode: number;
  readonly attributes: number;
}

/** The central directory and its offset: entries are before it. */
interface Directory {
  readonly start: number;
  readonly count: number;
  readonly entries: Iterable<Listed>;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;

const ENCRYPTED_FLAGS = 0x0001 | 0x0040 | 0x2000;
const UTF8_FLAG = 0x0800;
const ZIP64_COUNT = 0xffff;
const ZIP64_SIZE = 0xffffffff;

/** Reads the central directory (APPNOTE.TXT 4.3). @throws ZipError */
export function readDirectory(bytes: Uint8Array): Directory {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const length = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  if (count === ZIP64_COUNT || length === ZIP64_SIZE || start === ZIP64_SIZE)
    throw new ZipError('unsupported', 'The archive is in the ZIP64 format, for archives of more than 4 GB');
  if (view.getUint32(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count)
    throw new ZipError('unsupported', 'The archive is one of several parts');
  // Programs disagree about data in between.
  if (start + length !== end) throw new ZipError('broken', 'The directory of the archive is not where it says');
  return { start, count, entries: entriesOf(bytes, view, { start, count, end }) };
}

/** The end record is the last in the file, followed by a comment whose length it states. */
function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= 0 && at >= last - MAX_COMMENT_BYTES; at--)
    if (view.getUint32(at, true) === END_SIGNATURE && view.getUint16(at + 20, true) === last - at) return at;
  throw new ZipError('not_a_zip', 'This is not a ZIP archive, or its end is missing');
}

function* entriesOf(
  bytes: Uint8Array,
  view: DataView,
  { start, count, end }: { start: number; count: number; end: number },
): Generator<Listed> {
  let at = start;
  for (let n = 0; n < count; n++) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY_SIGNATURE)
      throw new ZipError('broken', 'The directory of the archive ends too soon');
    const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    const next = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw new ZipError('broken', 'The directory of the archive ends too soon');
    yield entryAt(view, at, bytes.subarray(at + ENTRY_BYTES, nameEnd));
    at = next;
  }
  if (at !== end) throw new ZipError('broken', 'The directory of the archive has more entries than it says');
}

function entryAt(view: DataView, at: number, rawName: Uint8Array): Listed {
  const flags = view.getUint16(at + 8, true);
  const name = nameOf(rawName, (flags & UTF8_FLAG) !== 0);
  if ((flags & ENCRYPTED_FLAGS) !== 0) throw new ZipError('encrypted', `${quoted(name)} is encrypted`);
  const compressedSize = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const offset = view.getUint32(at + 42, true);
  if (compressedSize === ZIP64_SIZE || size === ZIP64_SIZE || offset === ZIP64_SIZE)
    throw new ZipError('unsupported', 'The archive is in the ZIP64 format, for archives of more than 4 GB');
  const attributes = view.getUint32(at + 38, true);
  return {
    name,
    rawName,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    compressedSize,
    size,
    offset,
    mode: attributes >>> 16,
    attributes: attributes & 0xffff,
  };
}

/** Names are UTF-8 if flagged, and usually otherwise. A NUL would end the name for other programs. */
function nameOf(raw: Uint8Array, utf8: boolean): string {
  const name = utf8Text(raw) ?? (utf8 ? null : Buffer.from(raw).toString('latin1'));
  if (name === null || name === '' || name.includes('\0'))
    throw new ZipError('broken', 'The archive has an entry whose name cannot be read');
  return name;
}

function utf8Text(raw: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    // The decoder throws only for malformed text.
    return null;
  }
}

/** A name for messages. */
export const quoted = (name: string): string => JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
