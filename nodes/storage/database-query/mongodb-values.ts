import { EJSON, type Document } from 'bson';
import { isObject, type Json, type JsonObject } from '../../../lib/json';

/** A document with Extended JSON, such as `{"$oid": ...}` and `{"$date": ...}`, as BSON values. */
export const toBson = (value: Json): Document => EJSON.deserialize(value as Document, { relaxed: false }) as Document;

/** A document as a plain object: ids as hex, instants in ISO 8601, bytes in base64, exact and large numbers as text. */
export const fromBson = (document: Document): JsonObject => {
  const plain = plainOf(document);
  return isObject(plain) ? plain : { value: plain };
};

/** Any value of a document. */
export function plainOf(value: unknown): Json {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    default:
      return Array.isArray(value) ? value.map(plainOf) : objectOf(value);
  }
}

function objectOf(value: object): Json {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  // Recognized by the name of their class: the driver may have a copy of the library of its own.
  switch ('_bsontype' in value ? value._bsontype : undefined) {
    case undefined:
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainOf(item)]));
    case 'Binary':
      return binaryOf(value as { sub_type: number; value(): Uint8Array; toUUID(): object });
    case 'Int32':
    case 'Double':
      return plainOf((value as { valueOf(): number }).valueOf());
    case 'Long':
      return plainOf((value as { toBigInt(): bigint }).toBigInt());
    case 'BSONRegExp':
      return `/${(value as { pattern: string }).pattern}/${(value as { options: string }).options}`;
    case 'ObjectId':
    case 'Decimal128':
    case 'Timestamp':
      return String(value);
    default:
      return EJSON.serialize(value, { relaxed: true });
  }
}

/** Sub type 4 is a UUID. */
const binaryOf = (value: { sub_type: number; value(): Uint8Array; toUUID(): object }): Json =>
  value.sub_type === 4 ? String(value.toUUID()) : Buffer.from(value.value()).toString('base64');
