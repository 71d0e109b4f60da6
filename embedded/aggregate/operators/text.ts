import { Decimal128 } from '../../bson/decimal';
import { ServerError } from '../../bson/error';
import { isNumeric, toDouble } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { BsonSymbol, Code, type Maybe, Timestamp } from '../../bson/value';
import { isoDate } from './calendar';

/** A double as the server prints it: whole numbers without a point, `1e+20` for large ones. */
export function doubleText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** The text that string operators take for numbers, dates and the like. @throws ServerError 16007 for the rest */
export function toText(value: Maybe, name: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Decimal128 || typeof value === 'bigint') return value.toString();
  if (isNumeric(value)) return doubleText(toDouble(value));
  if (value instanceof Date) return isoDate(value);
  if (value instanceof BsonSymbol) return value.value;
  if (value instanceof Code) return value.code;
  if (value instanceof Timestamp) return String(value.value);
  throw new ServerError(16007, `can't convert from BSON type ${typeName(value)} to String (${name})`);
}
