import { compare, rank } from './compare';
import { isNumeric, type Numeric, toDouble } from './numeric';
import { BsonSymbol, type Maybe, ObjectId, type Value } from './value';

/**
 * A hash for BSON equality: equal values have equal hashes, unequal ones mostly differ.
 * Numbers hash by value across types; composite values by their parts.
 */
export function hashValue(value: Maybe): string | number {
  if (typeof value === 'string') return value;
  // Equal to the text of the same letters.
  if (value instanceof BsonSymbol) return hashValue(value.value);
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'boolean') return value ? '$true' : '$false';
  if (value instanceof ObjectId) return value.hex;
  if (isNumeric(value)) return hashNumber(value);
  if (Array.isArray(value)) return `[${value.map((entry) => hashValue(entry)).join()}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, member]) => `${name}:${hashValue(member)}`).join()}}`;
  }
  if (value instanceof Date) return `$date${value.getTime()}`;
  return `$${rank(value)}`;
}

/** A decimal that equals a double or long is its nearest double too, so the double is a hash for all types. */
function hashNumber(value: Numeric): number {
  const number = toDouble(value);
  return number === 0 ? 0 : number;
}

/** A map from BSON values to anything, by BSON equality, in order of first insertion. */
export class ValueMap<T> {
  readonly #buckets = new Map<string | number, { key: Maybe; value: T }[]>();
  readonly #entries: { key: Maybe; value: T }[] = [];

  get size(): number {
    return this.#entries.length;
  }

  get(key: Maybe): T | undefined {
    return this.#find(key)?.value;
  }

  has(key: Maybe): boolean {
    return this.#find(key) !== undefined;
  }

  set(key: Maybe, value: T): void {
    const known = this.#find(key);
    if (known !== undefined) {
      known.value = value;
      return;
    }
    const entry = { key, value };
    this.#entries.push(entry);
    const hash = hashValue(key);
    const bucket = this.#buckets.get(hash);
    if (bucket === undefined) this.#buckets.set(hash, [entry]);
    else bucket.push(entry);
  }

  *[Symbol.iterator](): Iterator<[Maybe, T]> {
    for (const { key, value } of this.#entries) yield [key, value];
  }

  #find(key: Maybe): { key: Maybe; value: T } | undefined {
    const bucket = this.#buckets.get(hashValue(key));
    return bucket?.find((entry) => compare(entry.key, key) === 0);
  }
}

/** A set of BSON values by BSON equality, in order of first insertion. */
export class ValueSet {
  readonly #map = new ValueMap<true>();

  constructor(values: Iterable<Value> = []) {
    for (const value of values) this.add(value);
  }

  get size(): number {
    return this.#map.size;
  }

  has(value: Value): boolean {
    return this.#map.has(value);
  }

  /** True when the value is new. */
  add(value: Value): boolean {
    if (this.#map.has(value)) return false;
    this.#map.set(value, true);
    return true;
  }

  *[Symbol.iterator](): Iterator<Value> {
    for (const [value] of this.#map) yield value as Value;
  }
}
