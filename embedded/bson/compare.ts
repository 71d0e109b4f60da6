import { Decimal128 } from './decimal';
import { compareNumbers, type Numeric } from './numeric';
import {
  Binary,
  BsonSymbol,
  Code,
  DBPointer,
  type Doc,
  Double,
  dateMillis,
  FarDate,
  MAX_KEY,
  MIN_KEY,
  type Maybe,
  ObjectId,
  Regex,
  Timestamp,
  type Value,
} from './value';

/** MongoDB's classes of types, in order. Values of one class compare by value, others by class. */
export const RANK = {
  minKey: -1,
  missing: 0,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  boolean: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  code: 60,
  codeWithScope: 65,
  maxKey: 127,
} as const;

/** The class of a value; missing and BSON undefined share one. */
export function rank(value: Maybe): number {
  switch (typeof value) {
    case 'undefined':
      return RANK.missing;
    case 'number':
    case 'bigint':
      return RANK.number;
    case 'string':
      return RANK.string;
    case 'boolean':
      return RANK.boolean;
    default:
      return value === null ? RANK.null : rankOfObject(value);
  }
}

function rankOfObject(value: Exclude<Value, null | boolean>): number {
  if (value instanceof Map) return RANK.object;
  if (Array.isArray(value)) return RANK.array;
  if (value instanceof Date) return RANK.date;
  if (value instanceof ObjectId) return RANK.objectId;
  if (value instanceof Double || value instanceof Decimal128) return RANK.number;
  if (value instanceof Binary) return RANK.binary;
  if (value instanceof Timestamp) return RANK.timestamp;
  if (value instanceof Regex) return RANK.regex;
  if (value instanceof BsonSymbol) return RANK.string;
  if (value instanceof Code) return value.scope === undefined ? RANK.code : RANK.codeWithScope;
  if (value instanceof DBPointer) return RANK.dbPointer;
  return value === MIN_KEY ? RANK.minKey : value === MAX_KEY ? RANK.maxKey : RANK.missing;
}

/** Order by UTF-8 bytes. Code units agree with it except that surrogates (4 bytes) sort above U+E000..U+FFFF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? surrogatesLast(x) - surrogatesLast(y) : x - y;
  }
  return a.length - b.length;
}

const surrogatesLast = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000);

/** BSON comparison order, a total order over all values and the missing one. Negative when `a` comes first. */
export function compare(a: Maybe, b: Maybe): number {
  if (typeof a === 'number' && typeof b === 'number' && a === b) return 0;
  const rankA = rank(a);
  const difference = rankA - rank(b);
  return difference !== 0 ? difference : compareWithin(rankA, a as Value, b as Value);
}

/** True when neither comes before the other: 1, 1.0 and Decimal 1.00 are equal, key order of documents counts. */
export const equals = (a: Maybe, b: Maybe): boolean => compare(a, b) === 0;

function compareWithin(type: number, a: Value, b: Value): number {
  switch (type) {
    case RANK.number:
      return compareNumbers(a as Numeric, b as Numeric);
    case RANK.string:
      return compareStrings(textOf(a), textOf(b));
    case RANK.object:
      return compareDocs(a as Doc, b as Doc);
    case RANK.array:
      return compareArrays(a as Value[], b as Value[]);
    case RANK.binary:
      return compareBinary(a as Binary, b as Binary);
    case RANK.objectId:
      return compareStrings((a as ObjectId).hex, (b as ObjectId).hex);
    case RANK.boolean:
      return Number(a) - Number(b);
    case RANK.date:
      return compareDates(a as Date, b as Date);
    case RANK.timestamp:
      return (
        Number((a as Timestamp).value > (b as Timestamp).value) -
        Number((a as Timestamp).value < (b as Timestamp).value)
      );
    case RANK.regex:
      return (
        compareStrings((a as Regex).pattern, (b as Regex).pattern) ||
        compareStrings((a as Regex).options, (b as Regex).options)
      );
    case RANK.dbPointer:
      return comparePointers(a as DBPointer, b as DBPointer);
    case RANK.code:
    case RANK.codeWithScope:
      return compareCode(a as Code, b as Code);
    default:
      return 0;
  }
}

const textOf = (value: Value): string => (typeof value === 'string' ? value : (value as BsonSymbol).value);

/** Field by field: class of the value, then name, then value; a document that ends first comes first. */
function compareDocs(a: Doc, b: Doc): number {
  const others = b.entries();
  for (const [name, value] of a) {
    const next = others.next();
    if (next.done === true) return 1;
    const [otherName, other] = next.value;
    const type = rank(value);
    const difference = type - rank(other) || compareStrings(name, otherName);
    if (difference !== 0) return difference;
    const order = compareWithin(type, value, other);
    if (order !== 0) return order;
  }
  return a.size - b.size;
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const order = compare(a[index], b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const compareBinary = (a: Binary, b: Binary): number =>
  a.bytes.length - b.bytes.length || a.subtype - b.subtype || Buffer.compare(a.bytes, b.bytes);

function compareDates(a: Date, b: Date): number {
  const difference = a.getTime() - b.getTime();
  if (difference !== 0 || !(a instanceof FarDate || b instanceof FarDate)) return difference;
  return Number(dateMillis(a) - dateMillis(b));
}

const comparePointers = (a: DBPointer, b: DBPointer): number =>
  a.namespace.length - b.namespace.length ||
  compareStrings(a.namespace, b.namespace) ||
  compareStrings(a.id.hex, b.id.hex);

function compareCode(a: Code, b: Code): number {
  const order = compareStrings(a.code, b.code);
  return order !== 0 || a.scope === undefined || b.scope === undefined ? order : compareDocs(a.scope, b.scope);
}
