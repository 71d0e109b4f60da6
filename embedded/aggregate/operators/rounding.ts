import { fitsInt64 } from '../../bson/arithmetic';
import { DECIMAL_NAN, Decimal128, decimal, divideHalfEven, MAX_DIGITS } from '../../bson/decimal';
import { ServerError } from '../../bson/error';
import { asInteger, isNumeric, type Numeric, numericType, partsOf, toDouble } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { type Double, double } from '../../bson/value';
import { isNullish, nary, type Operator } from '../operator';

export type Rounding = 'halfEven' | 'down' | 'floor' | 'ceil';

/** Rounds to `place` decimal digits (negative: tens, hundreds), keeping the type. */
export function rounded(value: Numeric, place: number, mode: Rounding): Numeric {
  if (value instanceof Decimal128) return roundedDecimal(value, place, mode);
  return numericType(value) === 'double'
    ? roundedDouble(toDouble(value), place, mode)
    : roundedInteger(value, place, mode);
}

function roundedInteger(value: number | bigint | Double, place: number, mode: Rounding): Numeric {
  if (place >= 0) return value;
  const integer = asInteger(value) as bigint;
  const negative = integer < 0n;
  const unit = 10n ** BigInt(-place);
  const magnitude = roundedUnits(negative ? -integer : integer, unit, negative, mode) * unit;
  const exact = negative ? -magnitude : magnitude;
  if (!fitsInt64(exact)) throw new ServerError(51080, 'invalid conversion from double to long: overflow');
  return typeof value === 'number' && exact >= -0x80000000n && exact <= 0x7fffffffn ? Number(exact) : exact;
}

/** Doubles round on their exact value: 2.675 lies below the middle and becomes 2.67. */
function roundedDouble(value: number, place: number, mode: Rounding): Numeric {
  const parts = partsOf(value);
  if (parts.kind !== 'finite' || -parts.exponent <= place) return double(value);
  const units = roundedUnits(parts.coefficient, 10n ** BigInt(-place - parts.exponent), parts.negative, mode);
  const number = Number(`${units}e${-place}`);
  return double(parts.negative ? -number : number);
}

/** The answer has exactly so many places. Infinity has no floor or ceiling on the server. */
function roundedDecimal(value: Decimal128, place: number, mode: Rounding): Decimal128 {
  const parts = value.parts;
  if (parts.kind === 'infinity' && (mode === 'floor' || mode === 'ceil')) return DECIMAL_NAN;
  if (parts.kind !== 'finite') return value;
  const { negative, coefficient, exponent } = parts;
  const distance = exponent + place;
  if (distance < 0)
    return decimal(negative, roundedUnits(coefficient, 10n ** BigInt(-distance), negative, mode), -place);
  return coefficient.toString().length + distance > MAX_DIGITS
    ? value
    : decimal(negative, coefficient * 10n ** BigInt(distance), -place);
}

function roundedUnits(coefficient: bigint, unit: bigint, negative: boolean, mode: Rounding): bigint {
  if (mode === 'halfEven') return divideHalfEven(coefficient, unit);
  const down = coefficient / unit;
  const awayFromZero = (mode === 'floor' && negative) || (mode === 'ceil' && !negative);
  return awayFromZero && coefficient % unit !== 0n ? down + 1n : down;
}

export const roundTo = (mode: Rounding): Operator =>
  nary(
    ([value, place], _, name) => {
      if (isNullish(value) || (place !== undefined && isNullish(place))) return null;
      if (!isNumeric(value))
        throw new ServerError(51081, `${name} only supports numeric types, not ${typeName(value)}`);
      const digits = place === undefined ? 0n : isNumeric(place) ? asInteger(place) : undefined;
      if (digits === undefined || digits < -20n || digits > 100n) {
        throw new ServerError(51083, `cannot apply ${name} with precision value outside of [-20, 100]`);
      }
      return rounded(value, Number(digits), mode);
    },
    1,
    2,
  );
