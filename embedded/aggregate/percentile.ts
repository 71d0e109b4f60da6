import { badValue, ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { double, type Maybe, type Value } from '../bson/value';
import type { Accumulator } from './accumulators';
import { type Compiler, type Expr, membersOf, type Scope } from './operator';

/** The least value at or above each share of the sorted numbers; null when there are none. */
export function percentiles(shares: readonly number[]): Accumulator & { shares(): Value[] } {
  const numbers: number[] = [];
  const shareList = (): Value[] => {
    const sorted = Float64Array.from(numbers).sort();
    return shares.map((share) =>
      sorted.length === 0 ? null : double(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number),
    );
  };
  return {
    add(value) {
      if (isNumeric(value) && !Number.isNaN(toDouble(value))) numbers.push(toDouble(value));
    },
    result: shareList,
    shares: shareList,
  };
}

function sharesOf(value: Maybe): number[] {
  const shares = Array.isArray(value) ? value : [];
  const numbers = shares.map((share) => (isNumeric(share) ? toDouble(share) : Number.NaN));
  if (numbers.length === 0 || numbers.some((share) => !(share >= 0 && share <= 1))) {
    throw new ServerError(7750303, "The $percentile 'p' field must be a non-empty array of numbers from 0 to 1");
  }
  return numbers;
}

/** What `$percentile` and `$median` are given, as an accumulator or as an expression. */
export function percentileOperands(
  name: string,
  argument: Value,
  compiler: Compiler,
): { input: Expr; shares: (scope: Scope) => number[] } {
  const members = membersOf(name, argument, name === '$median' ? ['input', 'method'] : ['input', 'p', 'method']);
  if (members.get('method') !== 'approximate') throw badValue(`${name}: only method 'approximate' is supported`);
  const shares = name === '$median' ? undefined : compiler.compile(members.get('p') as Value);
  return {
    input: compiler.compile(members.get('input') as Value),
    shares: (scope) => (shares === undefined ? [0.5] : sharesOf(shares(scope))),
  };
}
