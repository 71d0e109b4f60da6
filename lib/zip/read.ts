/**
 * Reads untrusted ZIP archives.
 *
 * Z1 The directory is authoritative, and the content must match it: names, sizes, checksums.
 * Z2 Limits are checked before decompression, and an entry never yields more bytes than declared.
 * Z3 Entries share no bytes, so a small archive cannot hold the same large content many times.
 * Z4 Nested archives are not opened.
 * Z5 Names are labels. Callers that make paths of them must validate each (`..`, slashes, backslashes, drives).
 */
import { constants, crc32, inflateRawSync } from 'node:zlib';
import { type Listed, quoted, readDirectory } from './directory';
import { ZipError } from './error';

/** Limits of an archive. */
export interface ZipLimits {
  readonly entries: number;
  /** Maximum uncompressed bytes of an entry. */
  readonly entryBytes: number;
  /** Maximum uncompressed bytes of all entries. */
  readonly totalBytes: number;
  /** Maximum compression ratio of entries above 1 MiB. Deflate can reach 1,032. */
  readonly ratio: number;
}

export interface ZipEntry {
  /** The name in the archive: not a trusted path. Names are unique. */
  readonly name: string;
  /** Uncompressed size in bytes. */
  readonly size: number;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
  /** The uncompressed bytes. @throws ZipError `broken` when they contradict the directory */
  content(): Uint8Array;
}

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const RATIO_MATTERS_FROM = 1024 * 1024;

const FILE_TYPE = 0o170000;
const SYMLINK = 0o120000;
const DIRECTORY = 0o040000;
const DOS_DIRECTORY = 0x10;

/** The entries of an archive, in the order of its directory. Decompresses nothing yet. @throws ZipError */
export function readZip(bytes: Uint8Array, limits: ZipLimits): ZipEntry[] {
  const directory = readDirectory(bytes);
  if (directory.count > limits.entries)
    throw new ZipError('too_many_entries', `The archive has more than ${limits.entries} entries`);
  const listed = [...directory.entries];
  assertNamesDiffer(listed);
  assertSizes(listed, limits);
  const places = assertApart(bytes, listed, directory.start);
  return listed.map((entry, index) => ({
    name: entry.name,
    size: entry.size,
    isDirectory:
      entry.name.endsWith('/') ||
      (entry.mode & FILE_TYPE) === DIRECTORY ||
      ((entry.mode & FILE_TYPE) === 0 && (entry.attributes & DOS_DIRECTORY) !== 0),
    isSymlink: (entry.mode & FILE_TYPE) === SYMLINK,
    content: () => unzipped(entry, places[index] as Uint8Array),
  }));
}

function assertNamesDiffer(listed: readonly Listed[]): void {
  const names = new Set<string>();
  for (const { name } of listed) {
    // Programs differ in which duplicate they use.
    if (names.has(name)) throw new ZipError('broken', `The archive has two entries named ${quoted(name)}`);
    names.add(name);
  }
}

function assertSizes(listed: readonly Listed[], limits: ZipLimits): void {
  let total = 0;
  for (const { name, size, compressedSize, method } of listed) {
    total += size;
    if (size > limits.entryBytes)
      throw new ZipError('too_large', `${quoted(name)} has more than ${limits.entryBytes} bytes unzipped`);
    if (total > limits.totalBytes)
      throw new ZipError('too_large', `The archive has more than ${limits.totalBytes} bytes unzipped`);
    if (size > RATIO_MATTERS_FROM && size > compressedSize * limits.ratio)
      throw new ZipError('too_large', `${quoted(name)} is more than ${limits.ratio} times larger unzipped`);
    if (method !== STORED && method !== DEFLATED)
      throw new ZipError('unsupported', `${quoted(name)} is compressed by a method other than deflate`);
    if (method === STORED && size !== compressedSize)
      throw new ZipError('broken', `${quoted(name)} has another size than the archive says`);
  }
}

/** Byte ranges of the entries. Sizes are the directory's, so a data descriptor adds nothing. */
function assertApart(bytes: Uint8Array, listed: readonly Listed[], end: number): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places: Uint8Array[] = [];
  const spans: { start: number; end: number }[] = [];
  for (const entry of listed) {
    const start = contentStart(bytes, view, entry, end);
    places.push(bytes.subarray(start, start + entry.compressedSize));
    spans.push({ start: entry.offset, end: start + entry.compressedSize });
  }
  spans.sort((a, b) => a.start - b.start);
  let before = 0;
  for (const span of spans) {
    if (span.start < before) throw new ZipError('broken', 'Entries of the archive overlap');
    before = span.end;
  }
  return places;
}

function contentStart(bytes: Uint8Array, view: DataView, entry: Listed, end: number): number {
  const { offset, rawName, name } = entry;
  const nameStart = offset + LOCAL_BYTES;
  if (nameStart > end || view.getUint32(offset, true) !== LOCAL_SIGNATURE)
    throw new ZipError('broken', `${quoted(name)} is not where the archive says`);
  const nameEnd = nameStart + view.getUint16(offset + 26, true);
  const start = nameEnd + view.getUint16(offset + 28, true);
  if (start + entry.compressedSize > end) throw new ZipError('broken', `${quoted(name)} ends too soon`);
  if (Buffer.compare(bytes.subarray(nameStart, nameEnd), rawName) !== 0)
    throw new ZipError('broken', `${quoted(name)} has another name where it lies`);
  return start;
}

function unzipped(entry: Listed, zipped: Uint8Array): Uint8Array {
  const content = entry.method === STORED ? Uint8Array.from(zipped) : inflated(entry, zipped);
  if (content.length !== entry.size)
    throw new ZipError('broken', `${quoted(entry.name)} has another size than the archive says`);
  if (crc32(content) !== entry.crc) throw new ZipError('broken', `${quoted(entry.name)} is damaged`);
  return content;
}

function inflated(entry: Listed, zipped: Uint8Array): Uint8Array {
  try {
    // One byte more suffices to detect an excess. The limit must not be 0.
    return inflateRawSync(zipped, { maxOutputLength: entry.size + 1, finishFlush: constants.Z_FINISH });
  } catch (fault) {
    if ((fault as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new ZipError('broken', `${quoted(entry.name)} has another size than the archive says`);
    throw new ZipError('broken', `${quoted(entry.name)} cannot be unzipped`);
  }
}
