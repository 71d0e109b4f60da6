import { Decimal128 } from './decimal';
import { failedToParse, ServerError } from './error';
import {
  Binary,
  BsonSymbol,
  Code,
  DBPointer,
  type Doc,
  Double,
  dateMillis,
  isInt32,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  type Value,
} from './value';
import { MAX_DEPTH, TYPE } from './wire';

/** One buffer for all calls: encoding is synchronous, and the result is copied out. It only ever grows. */
let out = Buffer.allocUnsafeSlow(64 * 1024);
let end = 0;

/** Below this many characters writing ASCII byte by byte beats the call into the runtime. */
const SHORT_STRING = 24;

/** Names of array elements, which BSON spells out. */
const INDEXES = Array.from({ length: 1024 }, (_, index) => String(index));

function reserve(bytes: number): void {
  if (end + bytes <= out.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(out.length * 2, end + bytes));
  out.copy(grown, 0, 0, end);
  out = grown;
}

function writeInt32(value: number, at: number): void {
  out[at] = value;
  out[at + 1] = value >> 8;
  out[at + 2] = value >> 16;
  out[at + 3] = value >> 24;
}

/** Writes UTF-8 and returns its length. Three bytes per UTF-16 unit is the most that UTF-8 needs. */
function writeText(text: string): number {
  reserve(text.length * 3 + 16);
  const from = end;
  if (text.length <= SHORT_STRING) {
    let index = 0;
    for (; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) break;
      out[end++] = unit;
    }
    if (index === text.length) return end - from;
    end = from;
  }
  end += out.write(text, end, 'utf8');
  return end - from;
}

function writeCString(text: string): void {
  if (text.includes('\0')) throw failedToParse('field names and regular expressions must not contain null bytes');
  writeText(text);
  out[end++] = 0;
}

function writeString(text: string): void {
  reserve(8);
  const at = end;
  end += 4;
  const length = writeText(text);
  out[end++] = 0;
  writeInt32(length + 1, at);
}

function writeDocument(value: Doc, depth: number): void {
  const at = open(depth);
  for (const [name, member] of value) writeElement(name, member, depth);
  close(at);
}

function writeArray(value: readonly Value[], depth: number): void {
  const at = open(depth);
  for (let index = 0; index < value.length; index++) {
    writeElement(INDEXES[index] ?? String(index), value[index] as Value, depth);
  }
  close(at);
}

function open(depth: number): number {
  if (depth > MAX_DEPTH) throw new ServerError('Overflow', `document nests deeper than ${MAX_DEPTH} levels`);
  reserve(8);
  const at = end;
  end += 4;
  return at;
}

function close(at: number): void {
  reserve(1);
  out[end++] = 0;
  writeInt32(end - at, at);
}

/** Type byte and name, leaving room for any fixed-size value. */
function head(type: number, name: string): void {
  reserve(24);
  out[end++] = type;
  writeCString(name);
  reserve(24);
}

function writeElement(name: string, value: Value, depth: number): void {
  switch (typeof value) {
    case 'string':
      head(TYPE.string, name);
      return writeString(value);
    case 'number':
      return writeNumber(name, value);
    case 'boolean':
      head(TYPE.boolean, name);
      out[end++] = value ? 1 : 0;
      return;
    case 'bigint':
      head(TYPE.int64, name);
      end = out.writeBigInt64LE(value, end);
      return;
    case 'object':
      if (value === null) return head(TYPE.null, name);
      if (value instanceof Map) {
        head(TYPE.object, name);
        return writeDocument(value, depth + 1);
      }
      if (Array.isArray(value)) {
        head(TYPE.array, name);
        return writeArray(value, depth + 1);
      }
      if (value instanceof Date) {
        head(TYPE.date, name);
        end = out.writeBigInt64LE(dateMillis(value), end);
        return;
      }
      if (value instanceof ObjectId) {
        head(TYPE.objectId, name);
        end += out.write(value.hex, end, 'hex');
        return;
      }
      return writeRare(name, value, depth);
    default:
      throw new TypeError(`not a BSON value: ${typeof value} at ${name}`);
  }
}

function writeNumber(name: string, value: number): void {
  if (isInt32(value)) {
    head(TYPE.int32, name);
    writeInt32(value, end);
    end += 4;
  } else {
    head(TYPE.double, name);
    end = out.writeDoubleLE(value, end);
  }
}

function writeRare(name: string, value: Exclude<Value, string | null>, depth: number): void {
  if (value instanceof Double) {
    head(TYPE.double, name);
    end = out.writeDoubleLE(value.value, end);
  } else if (value instanceof Binary) {
    head(TYPE.binary, name);
    writeBinary(value);
  } else if (value instanceof Decimal128) {
    head(TYPE.decimal128, name);
    end = out.writeBigUInt64LE(value.high, out.writeBigUInt64LE(value.low, end));
  } else if (value instanceof Timestamp) {
    head(TYPE.timestamp, name);
    end = out.writeBigUInt64LE(value.value, end);
  } else if (value instanceof Regex) {
    head(TYPE.regex, name);
    writeCString(value.pattern);
    writeCString(value.options);
  } else if (value instanceof Code) {
    writeCode(name, value, depth);
  } else if (value instanceof BsonSymbol) {
    head(TYPE.symbol, name);
    writeString(value.value);
  } else if (value instanceof DBPointer) {
    head(TYPE.dbPointer, name);
    writeString(value.namespace);
    reserve(12);
    end += out.write(value.id.hex, end, 'hex');
  } else {
    head(value === MIN_KEY ? TYPE.minKey : value === MAX_KEY ? TYPE.maxKey : TYPE.undefined, name);
  }
}

function writeBinary({ bytes, subtype }: Binary): void {
  const nested = subtype === 2 ? 4 : 0;
  reserve(bytes.length + 16);
  writeInt32(bytes.length + nested, end);
  out[end + 4] = subtype;
  end += 5;
  if (nested > 0) writeInt32(bytes.length, end);
  end += nested;
  out.set(bytes, end);
  end += bytes.length;
}

function writeCode(name: string, { code, scope }: Code, depth: number): void {
  if (scope === undefined) {
    head(TYPE.code, name);
    return writeString(code);
  }
  head(TYPE.codeWithScope, name);
  const at = end;
  end += 4;
  writeString(code);
  writeDocument(scope, depth + 1);
  writeInt32(end - at, at);
}

/**
 * The BSON bytes of a document.
 * @throws ServerError Overflow when nested too deeply, FailedToParse for a null byte in a name
 */
export function encode(value: Doc): Buffer {
  end = 0;
  writeDocument(value, 1);
  return Buffer.from(out.subarray(0, end));
}

/** The bytes of one element: type, name and value. */
export function encodeElement(name: string, value: Value): Buffer {
  end = 0;
  writeElement(name, value, 1);
  return Buffer.from(out.subarray(0, end));
}
