import { add, divide, exactDecimal, fitsInt64 } from '../bson/arithmetic';
import { Decimal128 } from '../bson/decimal';
import { isNumeric, type Numeric, toDouble } from '../bson/numeric';
import { double, isInt32, type Maybe, type Value } from '../bson/value';

/** Above this an int32 more could leave the exact integers of a double. */
const FLUSH_AT = 2 ** 52;

/**
 * A running total as MongoDB keeps it: integers exactly, doubles with the rounding error carried along
 * (Knuth's two-sum), decimals as decimals. Values that are no numbers are ignored.
 */
export class Sum {
  #small = 0;
  #integers = 0n;
  #double = 0;
  #error = 0;
  #decimal: Numeric | undefined;
  #widest: 'int' | 'long' | 'double' = 'int';
  count = 0;

  add(value: Maybe): void {
    if (!isNumeric(value)) return;
    this.count++;
    if (typeof value === 'bigint') {
      this.#integers += value;
      if (this.#widest === 'int') this.#widest = 'long';
    } else if (value instanceof Decimal128) {
      this.#decimal = this.#decimal === undefined ? value : add(this.#decimal, value);
    } else if (typeof value === 'number' && isInt32(value)) {
      this.#small += value;
      if (Math.abs(this.#small) > FLUSH_AT) this.#flush();
    } else {
      this.#addDouble(toDouble(value));
      this.#widest = 'double';
    }
  }

  #flush(): void {
    this.#integers += BigInt(this.#small);
    this.#small = 0;
  }

  #addDouble(value: number): void {
    const sum = this.#double + value;
    const virtual = sum - this.#double;
    const error = this.#double - (sum - virtual) + (value - virtual);
    this.#double = sum;
    // Infinities make the error term NaN, and it must not spread.
    if (Number.isFinite(sum)) this.#error += error;
  }

  get total(): Value {
    if (this.#decimal !== undefined) return add(this.#decimal, exactDecimal(this.#binaryTotal()));
    return this.#binaryTotal();
  }

  #binaryTotal(): Numeric {
    this.#flush();
    if (this.#widest === 'double') return double(this.#doubleTotal());
    if (this.#widest === 'int' && this.#integers >= -0x80000000n && this.#integers <= 0x7fffffffn) {
      return Number(this.#integers);
    }
    return fitsInt64(this.#integers) ? this.#integers : double(Number(this.#integers));
  }

  #doubleTotal(): number {
    const integers = Number(this.#integers);
    const rest = Number(this.#integers - BigInt(integers));
    const sum = this.#double + integers;
    const virtual = sum - this.#double;
    const error = this.#double - (sum - virtual) + (integers - virtual);
    return Number.isFinite(sum) ? sum + (this.#error + error + rest) : sum;
  }

  /** Null when there was no number. */
  get average(): Value {
    if (this.count === 0) return null;
    const total = this.total as Numeric;
    if (total instanceof Decimal128) return divide(total, this.count);
    this.#flush();
    return double(this.#doubleTotal() / this.count);
  }
}

/** Mean and spread in one pass (Welford), so that large values do not cancel. */
export class Deviation {
  #count = 0;
  #mean = 0;
  #squares = 0;

  add(value: Maybe): void {
    if (!isNumeric(value)) return;
    const number = toDouble(value);
    this.#count++;
    const delta = number - this.#mean;
    this.#mean += delta / this.#count;
    this.#squares += delta * (number - this.#mean);
  }

  /** Divided by the count (population) or by one less (sample); null when that is not above zero. */
  result(kind: 'population' | 'sample'): Value {
    const divisor = kind === 'population' ? this.#count : this.#count - 1;
    return divisor <= 0 ? null : double(Math.sqrt(this.#squares / divisor));
  }
}
