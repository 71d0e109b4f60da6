import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a test archive; `lies` are written to the headers unchanged. */
export interface ZipFile {
  readonly name: string | Buffer;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  readonly mode?: number;
  readonly flags?: number;
  /** Written to the directory instead of the true values. */
  readonly lies?: { size?: number; compressedSize?: number; crc?: number; method?: number; offset?: number };
  /** The name in the local header. */
  readonly localName?: string;
  /** Sizes and checksum after the content instead of before it, as streaming writers do. */
  readonly descriptor?: boolean;
}

export interface ZipShape {
  readonly comment?: string;
  readonly count?: number;
}

const u16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16LE(value, index * 2));
  return bytes;
};
const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, index * 4));
  return bytes;
};

const UTF8 = 0x0800;
const DESCRIPTOR = 0x0008;

/** An archive in bytes, as common programs write it where the files do not ask for something else. */
export function zip(files: readonly ZipFile[], shape: ZipShape = {}): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const { lies = {} } = file;
    const content = Buffer.from(file.content as Uint8Array);
    const zipped = file.stored ? content : deflateRawSync(content);
    const flags = (file.flags ?? 0) | UTF8 | (file.descriptor ? DESCRIPTOR : 0);
    const method = lies.method ?? (file.stored ? 0 : 8);
    const crc = lies.crc ?? crc32(content);
    const sizes = [lies.compressedSize ?? zipped.length, lies.size ?? content.length];
    const name = Buffer.from(file.name as string);
    const localName = file.localName === undefined ? name : Buffer.from(file.localName);
    const known = u32(crc, ...sizes);
    const local = Buffer.concat([
      u32(0x04034b50),
      u16(20, flags, method, 0, 0x21),
      file.descriptor ? u32(0, 0, 0) : known,
      u16(localName.length, 0),
      localName,
      zipped,
      ...(file.descriptor ? [u32(0x08074b50), known] : []),
    ]);
    directory.push(
      u32(0x02014b50),
      u16((3 << 8) | 20, 20, flags, method, 0, 0x21),
      known,
      u16(name.length, 0, 0, 0, 0),
      u32(((file.mode ?? 0o100644) << 16) >>> 0, lies.offset ?? offset),
      name,
    );
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const comment = Buffer.from(shape.comment ?? '');
  const count = shape.count ?? files.length;
  const end = Buffer.concat([
    u32(0x06054b50),
    u16(0, 0, count, count),
    u32(listed.length, offset),
    u16(comment.length),
    comment,
  ]);
  return Buffer.concat([...parts, listed, end]);
}
