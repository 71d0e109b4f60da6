import { type BinaryNumber, binaryNumber, fitsInt64 } from '../bson/arithmetic';
import { isNumeric, toDouble } from '../bson/numeric';
import { double, isInt32, type Maybe, type Value } from '../bson/value';

/** Above this, adding an int32 could exceed the exact integers of a double. */
const FLUSH_AT = 2 ** 52;

/**
 * A running total as MongoDB keeps it: integers exactly, doubles with the rounding error carried along
 * (Knuth's two-sum). Values that are no numbers are ignored.
 */
export class Sum {
  #small = 0;
  #integers = 0n;
  #double = 0;
  #error = 0;
  #widest: 'int' | 'long' | 'double' = 'int';
  count = 0;

  add(value: Maybe): void {
    if (!isNumeric(value)) return;
    this.count++;
    if (typeof value === 'bigint') {
      this.#integers += value;
      if (this.#widest === 'int') this.#widest = 'long';
    } else if (typeof value === 'number' && isInt32(value)) {
      this.#small += value;
      if (Math.abs(this.#small) > FLUSH_AT) this.#flush();
    } else {
      this.#addDouble(toDouble(binaryNumber(value)));
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
    // With infinities the error term would be NaN.
    if (Number.isFinite(sum)) this.#error += error;
  }

  get total(): BinaryNumber {
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
    this.#flush();
    return double(this.#doubleTotal() / this.count);
  }
}
