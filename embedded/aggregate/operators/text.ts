import { Decimal128 } from '../../bson/decimal';
import { ServerError } from '../../bson/error';
import { isNumeric, numericType, toDouble } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { BsonSymbol, Code, type Maybe, Timestamp } from '../../bson/value';
import { isoDate } from './calendar';

/** Padded to two digits, as C prints exponents. */
const exponentText = (power: number): string => `e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;

/** Shortest digits that read back as the same double; scientific from 1e+16 on and below 1e-4. For `$toString`. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return '-0';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return digits + exponentText(exponent);
  return exponent < 0 ? value.toFixed(Math.max(0, digits.replace(/[-.]/g, '').length - 1 - exponent)) : String(value);
}

/** Six significant digits, as C's `%g`: how string operators format a double. */
function roughText(value: number): string {
  if (!Number.isFinite(value)) return String(value).replace('Infinity', 'inf').replace('NaN', 'nan');
  const [digits = '', power = '0'] = value.toExponential(5).split('e');
  const exponent = Number(power);
  const trimmed = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  return exponent < -4 || exponent >= 6
    ? trimmed(digits) + exponentText(exponent)
    : trimmed(value.toFixed(5 - exponent));
}

/** The text of numbers, dates and other types in string operators. @throws ServerError 16007 for the rest */
export function toText(value: Maybe, name: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Decimal128 || typeof value === 'bigint') return value.toString();
  if (isNumeric(value)) return numericType(value) === 'int' ? String(value) : roughText(toDouble(value));
  if (value instanceof Date) return isoDate(value);
  if (value instanceof BsonSymbol) return value.value;
  if (value instanceof Code) return value.code;
  if (value instanceof Timestamp) return String(value.value);
  throw new ServerError(16007, `can't convert from BSON type ${typeName(value)} to String (${name})`);
}
