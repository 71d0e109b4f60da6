import { badValue, failedToParse, typeMismatch } from '../bson/error';
import { asInteger, isNumeric, toDouble } from '../bson/numeric';
import { TYPE_NUMBERS, type TypeName, typeName, typeNameOf } from '../bson/types';
import { MAX_KEY, type Maybe, MIN_KEY, type Value } from '../bson/value';
import type { Predicate } from './comparison';

/** `$type`: one of the types, by alias or number. The path is for the message only. */
export function typeTest(argument: Value, path: string): Predicate {
  const wanted = new Set<string>((Array.isArray(argument) ? argument : [argument]).flatMap(typesOf));
  if (wanted.size === 0) throw failedToParse(`${path} must match at least one type`);
  return (value) => wanted.has(typeName(value));
}

const NUMBER_TYPES: TypeName[] = ['int', 'long', 'double', 'decimal'];

/** The types that a `$type` alias or number stands for. */
function typesOf(value: Value): TypeName[] {
  if (typeof value === 'string') {
    if (value === 'number') return NUMBER_TYPES;
    if (!Object.hasOwn(TYPE_NUMBERS, value)) throw badValue(`Unknown type name alias: ${value}`);
    return [value as TypeName];
  }
  if (value === MIN_KEY || value === MAX_KEY || !isNumeric(value))
    throw typeMismatch('type must be represented as a number or a string');
  const name = typeNameOf(toDouble(value));
  if (name === undefined) throw badValue(`Invalid numerical type code: ${toDouble(value)}`);
  return [name];
}

/** `$size`: an array of exactly so many elements. */
export function sizeTest(argument: Value): Predicate {
  if (!isNumeric(argument)) throw badValue('Failed to parse $size. Expected a number');
  const size = asInteger(argument);
  if (size === undefined) throw badValue('Failed to parse $size. Expected an integer');
  if (size < 0n) throw badValue('Failed to parse $size. Expected a non-negative number');
  return (value) => Array.isArray(value) && BigInt(value.length) === size;
}

/** `$mod`: both numbers and the value are taken without their fraction. */
export function modTest(argument: Value): Predicate {
  if (!Array.isArray(argument)) throw badValue('malformed mod, needs to be an array');
  if (argument.length < 2) throw badValue('malformed mod, not enough elements');
  if (argument.length > 2) throw badValue('malformed mod, too many elements');
  const [divisor, remainder] = argument.map(truncated);
  if (divisor === undefined || remainder === undefined)
    throw badValue('malformed mod, elements must be numbers within 64 bits');
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    const integer = truncated(value);
    return integer !== undefined && integer % divisor === remainder;
  };
}

/** The number without its fraction; undefined for what is no number or, so cut, no int64, which matches nothing. */
function truncated(value: Maybe): bigint | undefined {
  if (!isNumeric(value)) return undefined;
  const number = Math.trunc(toDouble(value));
  const integer = asInteger(value) ?? (Number.isFinite(number) ? BigInt(number) : undefined);
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
