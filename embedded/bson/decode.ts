import { Decimal128 } from './decimal';
import { internedName, utf8 } from './text';
import {
  Binary,
  BsonSymbol,
  Code,
  DBPointer,
  type Doc,
  dateOf,
  double,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  UNDEFINED,
  type Value,
} from './value';
import { endOfCString, int32At, invalidBson, MAX_DEPTH, TYPE } from './wire';

const scratch = new Uint8Array(8);
const scratchDouble = new Float64Array(scratch.buffer);
const scratchInt64 = new BigInt64Array(scratch.buffer);
const scratchUint64 = new BigUint64Array(scratch.buffer);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** One pass over BSON bytes. `at` is the cursor; the reader lives for one call of `decode`. */
class Reader {
  at = 0;
  constructor(readonly bytes: Buffer) {}

  /** A document (or array body, by `each`) that starts at the cursor. */
  document(depth: number): Doc {
    const end = this.enter(depth);
    const result: Doc = new Map();
    for (let type = this.bytes[this.at++]; type !== 0; type = this.bytes[this.at++]) {
      const name = this.name();
      result.set(name, this.value(type as number, depth));
      if (this.at >= end) throw invalidBson('document is not terminated');
    }
    if (this.at !== end) throw invalidBson('document length does not match its content');
    return result;
  }

  array(depth: number): Value[] {
    const end = this.enter(depth);
    const result: Value[] = [];
    for (let type = this.bytes[this.at++]; type !== 0; type = this.bytes[this.at++]) {
      this.at = endOfCString(this.bytes, this.at) + 1;
      result.push(this.value(type as number, depth));
      if (this.at >= end) throw invalidBson('array is not terminated');
    }
    if (this.at !== end) throw invalidBson('array length does not match its content');
    return result;
  }

  private enter(depth: number): number {
    if (depth > MAX_DEPTH) throw invalidBson(`document nests deeper than ${MAX_DEPTH} levels`);
    const length = int32At(this.bytes, this.at);
    const end = this.at + length;
    if (length < 5 || end > this.bytes.length) throw invalidBson(`invalid document length ${length}`);
    this.at += 4;
    return end;
  }

  private name(): string {
    const end = endOfCString(this.bytes, this.at);
    const name = internedName(this.bytes, this.at, end);
    this.at = end + 1;
    return name;
  }

  value(type: number, depth: number): Value {
    const bytes = this.bytes;
    switch (type) {
      case TYPE.string:
        return this.string();
      case TYPE.int32:
        return int32At(bytes, this.take(4));
      case TYPE.double:
        this.load();
        return double(scratchDouble[0] as number);
      case TYPE.object:
        return this.document(depth + 1);
      case TYPE.array:
        return this.array(depth + 1);
      case TYPE.boolean:
        return this.boolean();
      case TYPE.null:
        return null;
      case TYPE.date:
        return this.date();
      case TYPE.objectId:
        return this.objectId();
      case TYPE.int64:
        this.load();
        return scratchInt64[0] as bigint;
      default:
        return this.rare(type, depth);
    }
  }

  private rare(type: number, depth: number): Value {
    switch (type) {
      case TYPE.binary:
        return this.binary();
      case TYPE.timestamp:
        this.load();
        return new Timestamp(scratchUint64[0] as bigint);
      case TYPE.decimal128:
        return this.decimal();
      case TYPE.regex:
        return new Regex(this.cstring(), this.cstring());
      case TYPE.minKey:
        return MIN_KEY;
      case TYPE.maxKey:
        return MAX_KEY;
      case TYPE.undefined:
        return UNDEFINED;
      case TYPE.code:
        return new Code(this.string());
      case TYPE.symbol:
        return new BsonSymbol(this.string());
      case TYPE.dbPointer:
        return new DBPointer(this.string(), this.objectId());
      case TYPE.codeWithScope:
        return this.codeWithScope(depth);
      default:
        throw invalidBson(`unknown BSON type 0x${type.toString(16)}`);
    }
  }

  /** Moves past `length` bytes and returns where they start. */
  private take(length: number): number {
    const from = this.at;
    this.at = from + length;
    if (this.at > this.bytes.length) throw invalidBson('element runs past the end of the document');
    return from;
  }

  private load(): void {
    const from = this.take(8);
    for (let index = 0; index < 8; index++) scratch[index] = this.bytes[from + index] as number;
  }

  private string(): string {
    const length = int32At(this.bytes, this.take(4));
    if (length < 1) throw invalidBson(`invalid string length ${length}`);
    const from = this.take(length);
    if (this.bytes[this.at - 1] !== 0) throw invalidBson('string is not terminated');
    return utf8(this.bytes, from, this.at - 1);
  }

  private cstring(): string {
    const from = this.at;
    const end = endOfCString(this.bytes, from);
    this.at = end + 1;
    return utf8(this.bytes, from, end);
  }

  private boolean(): boolean {
    const byte = this.bytes[this.take(1)];
    if (byte !== 0 && byte !== 1) throw invalidBson(`invalid boolean ${byte}`);
    return byte === 1;
  }

  private date(): Date {
    this.load();
    const millis = scratchInt64[0] as bigint;
    return dateOf(millis);
  }

  private objectId(): ObjectId {
    const from = this.take(12);
    let hex = '';
    for (let at = from; at < from + 12; at++) hex += HEX[this.bytes[at] as number];
    return new ObjectId(hex);
  }

  private binary(): Binary {
    const length = int32At(this.bytes, this.take(4));
    const subtype = this.bytes[this.take(1)] as number;
    if (length < 0) throw invalidBson(`invalid binary length ${length}`);
    const from = this.take(length);
    if (subtype !== 2) return new Binary(Uint8Array.prototype.slice.call(this.bytes, from, this.at), subtype);
    if (length < 4 || int32At(this.bytes, from) !== length - 4) throw invalidBson('invalid length of binary subtype 2');
    return new Binary(Uint8Array.prototype.slice.call(this.bytes, from + 4, this.at), subtype);
  }

  private decimal(): Decimal128 {
    this.load();
    const low = scratchUint64[0] as bigint;
    this.load();
    return new Decimal128(scratchUint64[0] as bigint, low);
  }

  private codeWithScope(depth: number): Code {
    const start = this.at;
    const length = int32At(this.bytes, this.take(4));
    const code = this.string();
    const scope = this.document(depth + 1);
    if (this.at !== start + length) throw invalidBson('invalid length of code with scope');
    return new Code(code, scope);
  }
}

/**
 * The document that starts at `offset`. Nothing of the result refers to `bytes`.
 * @throws ServerError InvalidBSON (22)
 */
export function decode(bytes: Uint8Array, offset = 0): Doc {
  const reader = new Reader(asBuffer(bytes));
  reader.at = offset;
  return reader.document(1);
}

/** The single value of this BSON type that starts at `offset`. */
export function decodeValue(bytes: Uint8Array, type: number, offset: number): Value {
  const reader = new Reader(asBuffer(bytes));
  reader.at = offset;
  return reader.value(type, 1);
}
