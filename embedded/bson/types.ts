import { Decimal128 } from './decimal';
import {
  isInt32,
  BsonSymbol,
  Binary,
  Code,
  DBPointer,
  Double,
  MAX_KEY,
  MIN_KEY,
  type Maybe,
  ObjectId,
  Regex,
  Timestamp,
} from './value';

/** `$type`'s aliases and numbers. */
export const TYPE_NUMBERS = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const satisfies Record<string, number>;

export type TypeName = keyof typeof TYPE_NUMBERS;

const NAMES = new Map<number, TypeName>(
  Object.entries(TYPE_NUMBERS).map(([name, number]) => [number, name as TypeName]),
);

/** The name of the type with this number. */
export const typeNameOf = (number: number): TypeName | undefined => NAMES.get(number);

/** The `$type` name of a value; `missing` for none, as the expression of that name says. */
export function typeName(value: Maybe): TypeName | 'missing' {
  switch (typeof value) {
    case 'undefined':
      return 'missing';
    case 'number':
      return isInt32(value) ? 'int' : 'double';
    case 'bigint':
      return 'long';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'null' : objectTypeName(value);
  }
}

function objectTypeName(value: object): TypeName {
  if (value instanceof Map) return 'object';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof ObjectId) return 'objectId';
  if (value instanceof Double) return 'double';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof Binary) return 'binData';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Regex) return 'regex';
  if (value instanceof Code) return value.scope === undefined ? 'javascript' : 'javascriptWithScope';
  if (value instanceof BsonSymbol) return 'symbol';
  if (value instanceof DBPointer) return 'dbPointer';
  return value === MIN_KEY ? 'minKey' : value === MAX_KEY ? 'maxKey' : 'undefined';
}

/** The `$type` number of a value; 0 for missing. */
export function typeNumber(value: Maybe): number {
  const name = typeName(value);
  return name === 'missing' ? 0 : TYPE_NUMBERS[name];
}
