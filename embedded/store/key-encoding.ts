import { createHash } from 'node:crypto';
import { decodeValue } from '../bson/decode';
import { Decimal128 } from '../bson/decimal';
import {
  Binary,
  BsonSymbol,
  Code,
  DBPointer,
  type Doc,
  Double,
  dateMillis,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  UNDEFINED,
  type Value,
} from '../bson/value';
import { int32At, TYPE } from '../bson/wire';
import { ByteWriter, invert } from './byte-writer';
import { splitNumber } from './number-key';

/**
 * First byte of an encoded value: its place in BSON's comparison order. Numbers of all types share one, so do strings
 * and symbols. 0x00 ends a list and 0xff stays free, so a cut before or after any value exists.
 */
export const BRACKET = {
  minKey: 0x02,
  undefined: 0x08,
  null: 0x10,
  number: 0x20,
  string: 0x30,
  object: 0x40,
  array: 0x50,
  binary: 0x58,
  objectId: 0x60,
  boolean: 0x68,
  date: 0x70,
  timestamp: 0x78,
  regex: 0x80,
  dbPointer: 0x88,
  code: 0x90,
  codeWithScope: 0x98,
  maxKey: 0xf0,
} as const;

const HASH_BYTES = 16;
const SIGN_64 = 1n << 63n;

/**
 * Writes values as bytes whose order (memcmp) is BSON's comparison order. Every encoding ends itself: none is a prefix
 * of another, so encodings can be strung together. One writer is reused for many keys.
 */
export class KeyWriter extends ByteWriter {
  /** True once a field since the last `reset` was too long and now ends in a hash: its order is lost, equality is not. */
  shortened = false;

  reset(): this {
    this.length = 0;
    this.shortened = false;
    return this;
  }

  /**
   * Ends a field that began at `start`: above `limit` bytes it keeps a prefix and a hash of the whole (keys are
   * bounded), and a descending field has all bits inverted.
   */
  endField(start: number, limit: number, descending: boolean): void {
    if (this.length - start > limit) {
      const hash = createHash('sha256').update(this.bytes.subarray(start, this.length)).digest();
      hash.copy(this.bytes, start + limit - HASH_BYTES, 0, HASH_BYTES);
      this.length = start + limit;
      this.shortened = true;
    }
    if (descending) invert(this.bytes, start, this.length);
  }

  /** Encodes a value from raw BSON; common types are copied without decoding. */
  raw(source: Uint8Array, type: number, at: number): void {
    switch (type) {
      case TYPE.int32:
        return this.double(int32At(source, at));
      case TYPE.double:
        return this.double(viewOf(source).getFloat64(at, true));
      case TYPE.string:
        this.byte(BRACKET.string);
        return this.text(source, at + 4, at + 3 + int32At(source, at));
      case TYPE.objectId:
        this.byte(BRACKET.objectId);
        this.append(source.subarray(at, at + 12));
        return;
      case TYPE.boolean:
        this.byte(BRACKET.boolean);
        return this.byte(source[at] as number);
      case TYPE.null:
        return this.byte(BRACKET.null);
      case TYPE.date:
        return this.date(viewOf(source).getBigInt64(at, true));
      default:
        return this.value(decodeValue(source, type, at));
    }
  }

  value(value: Value): void {
    switch (typeof value) {
      case 'string':
        this.byte(BRACKET.string);
        return this.string(value);
      case 'number':
        return this.double(value);
      case 'bigint':
        return this.split(value);
      case 'boolean':
        this.byte(BRACKET.boolean);
        return this.byte(value ? 1 : 0);
      default:
        return this.object(value);
    }
  }

  private object(value: Exclude<Value, string | number | bigint | boolean>): void {
    if (value === null) return this.byte(BRACKET.null);
    if (value instanceof ObjectId) {
      this.byte(BRACKET.objectId);
      this.append(Buffer.from(value.hex, 'hex'));
    } else if (value instanceof Date) this.date(dateMillis(value));
    else if (value instanceof Map) this.members(value);
    else if (Array.isArray(value)) {
      this.byte(BRACKET.array);
      for (const item of value) this.value(item);
      this.byte(0);
    } else if (value instanceof Double) this.double(value.value);
    else if (value instanceof Decimal128) this.split(value);
    else this.rare(value);
  }

  /** Documents compare member by member: first the types, then the names, then the values. */
  private members(value: Doc): void {
    this.byte(BRACKET.object);
    for (const [name, member] of value) {
      const at = this.length;
      this.value(member);
      const encoded = Buffer.from(this.bytes.subarray(at, this.length));
      this.length = at;
      this.byte(encoded[0] as number);
      this.string(name);
      this.append(encoded.subarray(1));
    }
    this.byte(0);
  }

  private rare(value: Exclude<Value, null | string | number | bigint | boolean>): void {
    if (value instanceof Binary) {
      this.byte(BRACKET.binary);
      this.uint32(value.bytes.length);
      this.byte(value.subtype);
      this.append(value.bytes);
    } else if (value instanceof BsonSymbol) {
      this.byte(BRACKET.string);
      this.string(value.value);
    } else if (value instanceof Timestamp) {
      this.byte(BRACKET.timestamp);
      this.uint64(value.value);
    } else if (value instanceof Regex) {
      this.byte(BRACKET.regex);
      this.string(value.pattern);
      this.string(value.options);
    } else if (value instanceof DBPointer) {
      this.byte(BRACKET.dbPointer);
      this.string(value.namespace);
      this.append(Buffer.from(value.id.hex, 'hex'));
    } else if (value instanceof Code) {
      this.byte(value.scope === undefined ? BRACKET.code : BRACKET.codeWithScope);
      this.string(value.code);
      if (value.scope !== undefined) this.value(value.scope);
    } else this.byte(singleton(value));
  }

  private double(value: number): void {
    this.reserve(10);
    this.byte(BRACKET.number);
    this.doubleBytes(value);
    this.byte(0);
  }

  private split(value: bigint | Decimal128): void {
    const { floor, rest } = splitNumber(value);
    if (rest === undefined) return this.double(floor);
    this.byte(BRACKET.number);
    this.doubleBytes(floor);
    this.byte(1);
    this.append(rest);
  }

  /** Eight bytes that sort as doubles do: NaN first, both zeros alike. */
  private doubleBytes(value: number): void {
    this.reserve(8);
    const at = this.length;
    this.length += 8;
    if (Number.isNaN(value)) {
      this.bytes.fill(0, at, at + 8);
      return;
    }
    this.bytes.writeDoubleBE(value === 0 ? 0 : value, at);
    if (value < 0) invert(this.bytes, at, at + 8);
    else this.bytes[at] = (this.bytes[at] as number) | 0x80;
  }

  private date(millis: bigint): void {
    this.byte(BRACKET.date);
    this.uint64(BigInt.asUintN(64, millis) ^ SIGN_64);
  }

  private string(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    this.text(bytes, 0, bytes.length);
  }

  /** Text ends in 0x00 0x00; a zero inside becomes 0x00 0xff, so that `a` sorts before `a\0`. */
  private text(source: Uint8Array, start: number, end: number): void {
    this.reserve((end - start) * 2 + 2);
    for (let at = start; at < end; at++) {
      const byte = source[at] as number;
      this.bytes[this.length++] = byte;
      if (byte === 0) this.bytes[this.length++] = 0xff;
    }
    this.bytes[this.length++] = 0;
    this.bytes[this.length++] = 0;
  }
}

function singleton(value: Value): number {
  if (value === MIN_KEY) return BRACKET.minKey;
  if (value === MAX_KEY) return BRACKET.maxKey;
  if (value === UNDEFINED) return BRACKET.undefined;
  throw new TypeError('not a BSON value');
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The least byte string above everything that begins with `prefix`, which must not be all 0xff. */
export function successor(prefix: Uint8Array): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  const next = Buffer.from(prefix.subarray(0, end));
  next[end - 1] = (next[end - 1] as number) + 1;
  return next;
}

/** A value encoded alone. */
export function encodeKey(value: Value): Buffer {
  const writer = new KeyWriter();
  writer.value(value);
  return writer.take();
}

/** The part of a bound before any hash of a truncated field: a range cut there includes all matches. */
export const safeBound = (encoded: Buffer, limit: number): { bytes: Buffer; cut: boolean } =>
  encoded.length > limit - HASH_BYTES
    ? { bytes: encoded.subarray(0, limit - HASH_BYTES), cut: true }
    : { bytes: encoded, cut: false };
