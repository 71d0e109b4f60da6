import type { Maybe, Value } from '../../bson/value';
import { type Accumulator, countOf, keepN, plainAccumulator } from '../accumulators';
import { type Compiler, type Expr, membersOf, nary, type Operator, type Operators } from '../operator';
import { percentileOperands, percentiles } from '../percentile';
import { arrayOf } from './array';

function collect(accumulator: Accumulator, values: Iterable<Maybe>): Value {
  for (const value of values) accumulator.add(value);
  return accumulator.result();
}

/** Accumulators outside `$group`: over their operands, or over the elements of a single array operand. */
const overValues: Operator = nary((values, compiler, name) => {
  const create = plainAccumulator(name) as (compiler: Compiler) => Accumulator;
  const [only] = values;
  return collect(create(compiler), values.length === 1 && Array.isArray(only) ? only : values);
});

/** `$firstN`, `$lastN`, `$minN` and `$maxN` of an array. */
function overArray(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['n', 'input']);
  const [n, input] = ['n', 'input'].map((member) => compiler.compile(members.get(member) as Value)) as [Expr, Expr];
  return (scope) => {
    const value = input(scope);
    return collect(keepN(name, countOf(n(scope), name), compiler), arrayOf(value, 5788200, `${name}: input`));
  };
}

function percentile(argument: Value, compiler: Compiler, name: string): Expr {
  const { input, shares } = percentileOperands(name, argument, compiler);
  return (scope) => {
    const state = percentiles(shares(scope));
    const value = input(scope);
    collect(state, Array.isArray(value) ? value : [value]);
    return name === '$median' ? state.shares()[0] : state.result();
  };
}

export const summary: Operators = {
  $sum: overValues,
  $avg: overValues,
  $min: overValues,
  $max: overValues,
  $stdDevPop: overValues,
  $stdDevSamp: overValues,
  $firstN: overArray,
  $lastN: overArray,
  $minN: overArray,
  $maxN: overArray,
  $percentile: percentile,
  $median: percentile,
};
