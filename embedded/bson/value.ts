import type { Decimal128 } from './decimal';

/**
 * BSON values as native JavaScript, without loss and cheap in the common case.
 *
 * - int32 is a number that is a 32-bit integer; int64 is a bigint.
 * - double is any other number (fractions, NaN, infinities, -0, out of int32 range). A double whose value is an
 *   int32 integer is wrapped in `Double`, so that 5 and 5.0 stay different types.
 * - document is a Map: it keeps the order even of numeric-looking keys, and `__proto__` is an ordinary key.
 * - `undefined` means "missing" and is never stored; BSON's own undefined is the `UNDEFINED` value.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Value[]
  | Doc
  | Date
  | Double
  | ObjectId
  | Binary
  | Decimal128
  | Regex
  | Timestamp
  | Code
  | BsonSymbol
  | DBPointer
  | Singleton;

/** A BSON document. Of duplicate keys (which no driver sends) the last one wins. */
export type Doc = Map<string, Value>;

/** A value or nothing at all. */
export type Maybe = Value | undefined;

/** A double whose value is an int32 integer. Make numbers with `double()`, which wraps only when it must. */
export class Double {
  constructor(readonly value: number) {}
}

/** Twelve bytes, kept as lower-case hex: hex order is byte order, and strings compare and hash fast. */
export class ObjectId {
  constructor(readonly hex: string) {}
}

/** Binary data with its subtype. Subtype 2's inner length is part of the wire form only. */
export class Binary {
  constructor(
    readonly bytes: Uint8Array,
    readonly subtype: number,
  ) {}
}

/** A regular expression as stored: PCRE source and sorted option letters, never a JavaScript RegExp. */
export class Regex {
  constructor(
    readonly pattern: string,
    readonly options: string,
  ) {}
}

/** The internal timestamp: unsigned seconds in the high word, unsigned counter in the low word. */
export class Timestamp {
  constructor(readonly value: bigint) {}
}

/** JavaScript source, with a scope in the older form. It is stored and compared, never run. */
export class Code {
  constructor(
    readonly code: string,
    readonly scope?: Doc,
  ) {}
}

/** The deprecated symbol type; it compares as a string. */
export class BsonSymbol {
  constructor(readonly value: string) {}
}

/** The deprecated pointer: namespace and object id. */
export class DBPointer {
  constructor(
    readonly namespace: string,
    readonly id: ObjectId,
  ) {}
}

/** MinKey, MaxKey and BSON's deprecated undefined: types with exactly one value. */
class Singleton {
  constructor(readonly name: 'minKey' | 'maxKey' | 'undefined') {}
}

export const MIN_KEY = new Singleton('minKey');
export const MAX_KEY = new Singleton('maxKey');
export const UNDEFINED = new Singleton('undefined');

/**
 * A stored date outside JavaScript's range of +-8.64e15 ms: its own `getTime` is rounded to a double, `millis` is exact.
 * Calendar methods see an invalid date, as no calendar covers it.
 */
export class FarDate extends Date {
  constructor(readonly millis: bigint) {
    super(Number.NaN);
  }
  override getTime(): number {
    return Number(this.millis);
  }
  override valueOf(): number {
    return this.getTime();
  }
}

const DATE_LIMIT_MS = 8_640_000_000_000_000n;

/** The date at so many milliseconds since 1970, exact over the whole int64 range. */
export const dateOf = (millis: bigint): Date =>
  millis > DATE_LIMIT_MS || millis < -DATE_LIMIT_MS ? new FarDate(millis) : new Date(Number(millis));

/** Milliseconds since 1970 of a stored date, exact. */
export const dateMillis = (date: Date): bigint => (date instanceof FarDate ? date.millis : BigInt(date.getTime()));

/** True for a number that is stored as int32 (so -0 is not: it is a double). */
export const isInt32 = (value: number): boolean => (value | 0) === value && (value !== 0 || 1 / value > 0);

/** The double of this value, wrapped only when the bare number would read as an int32. */
export const double = (value: number): number | Double => (isInt32(value) ? new Double(value) : value);

export const isDoc = (value: Maybe): value is Doc => value instanceof Map;
