import { ServerError } from './error';

/** The type byte of each BSON element (bsonspec.org 1.1). */
export const TYPE = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal128: 0x13,
  minKey: 0xff,
  maxKey: 0x7f,
} as const;

/** How deep documents may nest, as in MongoDB's server. */
export const MAX_DEPTH = 200;

/** The error for invalid BSON. */
export const invalidBson = (message: string): ServerError => new ServerError('InvalidBSON', message);

/** The little-endian int32 at `at`; bytes past the end read as zero, which callers reject. */
export const int32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);

/** The position of the next zero byte. */
export function endOfCString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] !== 0) {
    if (at >= bytes.length) throw invalidBson('unterminated string');
    at++;
  }
  return at;
}

/**
 * The position after the value of this type that starts at `at`.
 * @throws ServerError InvalidBSON for an unknown type or a length that cannot be
 */
export function endOfValue(bytes: Uint8Array, type: number, at: number): number {
  const end = at + valueLength(bytes, type, at);
  if (end > bytes.length || end < at) throw invalidBson('element runs past the end of the document');
  return end;
}

function valueLength(bytes: Uint8Array, type: number, at: number): number {
  switch (type) {
    case TYPE.null:
    case TYPE.undefined:
    case TYPE.minKey:
    case TYPE.maxKey:
      return 0;
    case TYPE.boolean:
      return 1;
    case TYPE.int32:
      return 4;
    case TYPE.double:
    case TYPE.date:
    case TYPE.int64:
    case TYPE.timestamp:
      return 8;
    case TYPE.objectId:
      return 12;
    case TYPE.decimal128:
      return 16;
    case TYPE.string:
    case TYPE.symbol:
    case TYPE.code:
      return positive(int32At(bytes, at), 1) + 4;
    case TYPE.object:
    case TYPE.array:
    case TYPE.codeWithScope:
      return positive(int32At(bytes, at), 5);
    case TYPE.binary:
      return positive(int32At(bytes, at), 0) + 5;
    case TYPE.dbPointer:
      return positive(int32At(bytes, at), 1) + 16;
    case TYPE.regex:
      return endOfCString(bytes, endOfCString(bytes, at) + 1) + 1 - at;
    default:
      throw invalidBson(`unknown BSON type 0x${type.toString(16)}`);
  }
}

function positive(length: number, min: number): number {
  if (length < min) throw invalidBson(`invalid length ${length}`);
  return length;
}
