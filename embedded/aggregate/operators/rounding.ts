import { type BinaryNumber, binaryNumber, fitsInt64 } from '../../bson/arithmetic';
import { ServerError } from '../../bson/error';
import { asInteger, isNumeric, type Numeric, numericType, partsOf, toDouble } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { double } from '../../bson/value';
import { isNullish, nary, type Operator } from '../operator';

type Rounding = 'halfEven' | 'down' | 'floor' | 'ceil';

/** Rounds to `place` decimal digits (negative: tens, hundreds), keeping the type. */
export function rounded(value: Numeric, place: number, mode: Rounding): Numeric {
  const number = binaryNumber(value);
  return numericType(number) === 'double'
    ? roundedDouble(toDouble(number), place, mode)
    : roundedInteger(number, place, mode);
}

function roundedInteger(value: BinaryNumber, place: number, mode: Rounding): Numeric {
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

function roundedUnits(coefficient: bigint, unit: bigint, negative: boolean, mode: Rounding): bigint {
  if (mode === 'halfEven') return divideHalfEven(coefficient, unit);
  const down = coefficient / unit;
  const awayFromZero = (mode === 'floor' && negative) || (mode === 'ceil' && !negative);
  return awayFromZero && coefficient % unit !== 0n ? down + 1n : down;
}

/** Integer division rounded half to even, for a non-negative numerator. */
function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  if (twice < denominator || (twice === denominator && quotient % 2n === 0n)) return quotient;
  return quotient + 1n;
}

export const roundTo = (mode: Rounding): Operator =>
  nary(
    ([value, place], name) => {
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
