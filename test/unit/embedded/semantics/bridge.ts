import { Decimal128 as DriverDecimal, deserialize, EJSON, serialize } from 'bson';
import { decode } from '../../../../embedded/bson/decode';
import { encode } from '../../../../embedded/bson/encode';
import type { Decimal128 } from '../../../../embedded/bson/decimal';
import type { Doc, Value } from '../../../../embedded/bson/value';
import type { UpdateContext } from '../../../../embedded/update/leaf';
import type { Update } from '../../../../embedded/update/update';

/** Values of this engine from MongoDB extended JSON (parsed), by way of real BSON bytes. */
export function fromEjson(json: unknown): Value {
  const parsed = EJSON.deserialize({ v: json } as object, { relaxed: false });
  return decode(serialize(parsed)).get('v') as Value;
}

export const docFromEjson = (json: unknown): Doc => fromEjson(json) as Doc;

/** Canonical extended JSON text: types and the order of fields count. */
export function toEjson(value: Value): string {
  const plain = deserialize(encode(new Map([['v', value]])), {
    promoteValues: false,
    promoteLongs: false,
    bsonRegExp: true,
  });
  return EJSON.stringify(plain.v, { relaxed: false });
}

/** The decimal that a text spells. */
export const decimal = (text: string): Decimal128 =>
  docOf({ v: DriverDecimal.fromString(text) }).get('v') as Decimal128;

/** Values from a JavaScript literal as the driver would send it. */
export const docOf = (literal: object): Doc => decode(serialize(literal));

/** A document after an update. */
export function afterUpdate(update: Update, document: Doc, context: UpdateContext): Doc {
  const before = encode(document);
  return decode(update(before, context)?.after ?? before);
}
