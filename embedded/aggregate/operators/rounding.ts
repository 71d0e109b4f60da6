import { fitsInt64, toDecimal } from '../../bson/arithmetic';
import { decimal, divideHalfEven } from '../../bson/decimal';
import { ServerError } from '../../bson/error';
import { asInteger, isNumeric, type Numeric, numericType, partsOf, toDouble } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { double } from '../../bson/value';
import { isNullish, nary, type Operator } from '../operator';

export type Rounding = 'halfEven' | 'down' | 'floor' | 'ceil';

/** Rounds to `place` decimal digits (negative: tens, hundreds), keeping the type. Doubles round on their exact value. */
export function rounded(value: Numeric, place: number, mode: Rounding): Numeric {
  const type = numericType(value);
  if ((type === 'int' || type === 'long') && place >= 0) return value;
  if (type === 'double' && !Number.isFinite(toDouble(value))) return value;
  const parts = type === 'decimal' ? toDecimal(value).parts : partsOf(value as number | bigint);
  if (parts.kind !== 'finite' || -parts.exponent <= place) return value;
  const unit = 10n ** BigInt(-place - parts.exponent);
  const units = roundedUnits(parts.coefficient, unit, parts.negative, mode);
  if (type === 'decimal') return decimal(parts.negative, units, -place);
  const magnitude = place <= 0 ? units * 10n ** BigInt(-place) : undefined;
  if (type === 'double') {
    const number = magnitude === undefined ? Number(`${units}e${-place}`) : Number(magnitude);
    return double(parts.negative ? -number : number);
  }
  const exact = (parts.negative ? -1n : 1n) * (magnitude as bigint);
  if (!fitsInt64(exact)) throw new ServerError(51080, 'invalid conversion from double to long: overflow');
  return type === 'int' && exact >= -0x80000000n && exact <= 0x7fffffffn ? Number(exact) : exact;
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
