import { Decimal128 } from './decimal';
import { ServerError } from './error';
import { type Numeric, numericType, toDouble } from './numeric';
import { type Double, double } from './value';

/** Result above int64: expressions widen to double, updates fail. */
type Overflow = 'double' | 'refuse';

const INT64_MAX = (1n << 63n) - 1n;
const INT64_MIN = -(1n << 63n);
export const fitsInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

/** Numbers that arithmetic supports. */
export type BinaryNumber = number | bigint | Double;

/** @throws ServerError 238 for a decimal: decimals are stored and compared, but arithmetic is not supported */
export function binaryNumber(value: Numeric): BinaryNumber {
  if (value instanceof Decimal128)
    throw new ServerError('NotImplemented', 'The built-in store does not have arithmetic on Decimal128 values.');
  return value;
}

/** The type of the result for these operands: the wider one. */
function commonType(a: Numeric, b: Numeric): 'int' | 'long' | 'double' {
  const types = [numericType(binaryNumber(a)), numericType(binaryNumber(b))];
  return types.includes('double') ? 'double' : types.includes('long') ? 'long' : 'int';
}

const toBigint = (value: Numeric): bigint => (typeof value === 'bigint' ? value : BigInt(toDouble(value)));

/** An integer as int when it fits and both operands were ints, else as long; undefined outside int64. */
function integer(value: bigint, type: 'int' | 'long'): number | bigint | undefined {
  if (type === 'int' && value >= -0x80000000n && value <= 0x7fffffffn) return Number(value);
  return fitsInt64(value) ? value : undefined;
}

interface Operation {
  integers(a: bigint, b: bigint): bigint;
  doubles(a: number, b: number): number;
}

function calculate(operation: Operation, a: Numeric, b: Numeric, overflow: Overflow): BinaryNumber | undefined {
  const type = commonType(a, b);
  if (type === 'double') return double(operation.doubles(toDouble(a), toDouble(b)));
  const exact = operation.integers(toBigint(a), toBigint(b));
  const result = integer(exact, type);
  return result === undefined && overflow === 'double' ? double(Number(exact)) : result;
}

const ADD: Operation = { integers: (a, b) => a + b, doubles: (a, b) => a + b };
const SUBTRACT: Operation = { integers: (a, b) => a - b, doubles: (a, b) => a - b };
const MULTIPLY: Operation = { integers: (a, b) => a * b, doubles: (a, b) => a * b };

export function add(a: Numeric, b: Numeric): BinaryNumber;
export function add(a: Numeric, b: Numeric, overflow: Overflow): BinaryNumber | undefined;
export function add(a: Numeric, b: Numeric, overflow: Overflow = 'double'): BinaryNumber | undefined {
  return calculate(ADD, a, b, overflow);
}

export const subtract = (a: Numeric, b: Numeric): BinaryNumber => calculate(SUBTRACT, a, b, 'double') as BinaryNumber;

export function multiply(a: Numeric, b: Numeric): BinaryNumber;
export function multiply(a: Numeric, b: Numeric, overflow: Overflow): BinaryNumber | undefined;
export function multiply(a: Numeric, b: Numeric, overflow: Overflow = 'double'): BinaryNumber | undefined {
  return calculate(MULTIPLY, a, b, overflow);
}

/** The result is a double, even for integers. The divisor must not be zero. */
export function divide(a: Numeric, b: Numeric): BinaryNumber {
  return double(toDouble(binaryNumber(a)) / toDouble(binaryNumber(b)));
}

/** The remainder with the dividend's sign. The divisor must not be zero. */
export function remainder(a: Numeric, b: Numeric): BinaryNumber {
  const type = commonType(a, b);
  if (type === 'double') return double(toDouble(a) % toDouble(b));
  return integer(toBigint(a) % toBigint(b), type) as number | bigint;
}
