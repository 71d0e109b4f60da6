import { compare } from '../bson/compare';
import { failedToParse, ServerError } from '../bson/error';
import { asInteger, isNumeric, toDouble } from '../bson/numeric';
import { type Doc, double, isDoc, type Maybe, type Value } from '../bson/value';
import { ValueSet } from '../bson/valueset';
import { compileSorter, type SortKey } from '../query/sort';
import { type Compiler, type Expr, isNullish, membersOf, type Scope } from './operator';
import { mergeInto } from './operators/object';
import { Deviation, Sum } from './sum';

/** Collects one value per document of a group (or of a window, or of a list). */
export interface Accumulator {
  add(value: Maybe): void;
  result(): Value;
}

const fold = (start: Maybe, step: (state: Maybe, value: Maybe) => Maybe): Accumulator => {
  let state = start;
  return {
    add(value) {
      state = step(state, value);
    },
    result: () => state ?? null,
  };
};

const extreme = (sign: 1 | -1, compiler: Compiler): Accumulator =>
  fold(undefined, (best, value) => {
    if (isNullish(value)) return best;
    return best === undefined || compare(value, best, compiler.collation.compare) * sign > 0 ? value : best;
  });

function sumOf(): Accumulator {
  const sum = new Sum();
  return { add: (value) => sum.add(value), result: () => sum.total };
}

function averageOf(): Accumulator {
  const sum = new Sum();
  return { add: (value) => sum.add(value), result: () => sum.average };
}

function deviationOf(kind: 'population' | 'sample'): Accumulator {
  const deviation = new Deviation();
  return { add: (value) => deviation.add(value), result: () => deviation.result(kind) };
}

function firstOf(): Accumulator {
  let first: { value: Maybe } | undefined;
  return {
    add(value) {
      first ??= { value };
    },
    result: () => first?.value ?? null,
  };
}

function listOf(): Accumulator {
  const list: Value[] = [];
  return {
    add(value) {
      if (value !== undefined) list.push(value);
    },
    result: () => list,
  };
}

function setOf(compiler: Compiler): Accumulator {
  const set = new ValueSet(compiler.collation);
  return {
    add(value) {
      if (value !== undefined) set.add(value);
    },
    result: () => [...set],
  };
}

function merged(): Accumulator {
  const target: Doc = new Map();
  return { add: (value) => mergeInto(target, value), result: () => target };
}

/** The accumulators whose argument is one expression. */
const PLAIN: Readonly<Record<string, (compiler: Compiler) => Accumulator>> = {
  $sum: sumOf,
  $avg: averageOf,
  $min: (compiler) => extreme(-1, compiler),
  $max: (compiler) => extreme(1, compiler),
  $first: firstOf,
  $last: () => fold(undefined, (_, value) => value),
  $push: listOf,
  $addToSet: setOf,
  $mergeObjects: merged,
  $stdDevPop: () => deviationOf('population'),
  $stdDevSamp: () => deviationOf('sample'),
};

export const plainAccumulator = (name: string): ((compiler: Compiler) => Accumulator) | undefined =>
  Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;

/** A whole number above zero. */
export function countOf(value: Maybe, name: string): number {
  const count = isNumeric(value) ? asInteger(value) : undefined;
  if (count === undefined) throw new ServerError(5787902, `Value for 'n' of ${name} must be of integral type`);
  if (count <= 0n) throw new ServerError(5787908, `'n' of ${name} must be greater than 0`);
  return Number(count);
}

/** Keeps n values: the first or last as they come, or the least or greatest. */
export function keepN(name: string, n: number, compiler: Compiler): Accumulator {
  const list: Value[] = [];
  const order = (a: Value, b: Value): number => compare(a, b, compiler.collation.compare);
  return {
    add(value) {
      if (name === '$minN' || name === '$maxN') {
        if (!isNullish(value)) list.push(value as Value);
      } else if (name === '$lastN' || list.length < n) {
        list.push(value ?? null);
        if (list.length > n) list.shift();
      }
    },
    result() {
      if (name === '$firstN' || name === '$lastN') return list;
      return list.sort(name === '$minN' ? order : (a, b) => order(b, a)).slice(0, n);
    },
  };
}

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

export function sharesOf(value: Maybe): number[] {
  const shares = Array.isArray(value) ? value : [];
  const numbers = shares.map((share) => (isNumeric(share) ? toDouble(share) : Number.NaN));
  if (numbers.length === 0 || numbers.some((share) => !(share >= 0 && share <= 1))) {
    throw new ServerError(7750303, "The $percentile 'p' field must be a non-empty array of numbers from 0 to 1");
  }
  return numbers;
}

/** An accumulator as `$group` writes it: started once per group, fed once per document. */
export interface GroupAccumulator {
  start(scope: Scope): { add(scope: Scope): void; result(): Value };
}

/** @throws ServerError 15952 for a name that is no accumulator; JavaScript ones are refused */
export function compileAccumulator(name: string, argument: Value, compiler: Compiler): GroupAccumulator {
  const plain = plainAccumulator(name);
  if (plain !== undefined) return ofInput(compiler.compile(argument), () => plain(compiler));
  switch (name) {
    case '$count':
      if (!isDoc(argument) || argument.size > 0) throw failedToParse('$count takes no arguments, i.e. $count:{}');
      return ofInput(() => 1, sumOf);
    case '$firstN':
    case '$lastN':
    case '$minN':
    case '$maxN': {
      const members = membersOf(name, argument, ['n', 'input']);
      const n = compiler.compile(members.get('n') as Value);
      return ofInput(compiler.compile(members.get('input') as Value), (scope) =>
        keepN(name, countOf(n(scope), name), compiler),
      );
    }
    case '$top':
    case '$bottom':
    case '$topN':
    case '$bottomN':
      return ranked(name, argument, compiler);
    case '$percentile':
    case '$median':
      return percentile(name, argument, compiler);
    case '$accumulator':
      throw new ServerError('NotImplemented', '$accumulator is not supported: there is no server-side JavaScript');
    default:
      throw new ServerError(15952, `unknown group operator '${name}'`);
  }
}

const ofInput = (input: Expr, create: (scope: Scope) => Accumulator): GroupAccumulator => ({
  start(scope) {
    const accumulator = create(scope);
    return { add: (inner) => accumulator.add(input(inner)), result: () => accumulator.result() };
  },
});

function ranked(name: string, argument: Value, compiler: Compiler): GroupAccumulator {
  const many = name.endsWith('N');
  const members = membersOf(name, argument, many ? ['n', 'sortBy', 'output'] : ['sortBy', 'output']);
  const sortBy = members.get('sortBy') as Value;
  if (!isDoc(sortBy)) throw new ServerError(10065, `${name}: 'sortBy' must be an object`);
  const sorter = compileSorter(sortBy, compiler.collation);
  const output = compiler.compile(members.get('output') as Value);
  const n = many ? compiler.compile(members.get('n') as Value) : undefined;
  return {
    start(scope) {
      const count = n === undefined ? 1 : countOf(n(scope), name);
      const rows: { key: SortKey; value: Value }[] = [];
      return {
        add: (inner) => void rows.push({ key: sorter.key(inner.root as Doc), value: output(inner) ?? null }),
        result() {
          rows.sort((a, b) => sorter.compareKeys(a.key, b.key));
          const values = (name.startsWith('$top') ? rows.slice(0, count) : rows.slice(-count)).map((row) => row.value);
          return many ? values : (values[0] ?? null);
        },
      };
    },
  };
}

function percentile(name: string, argument: Value, compiler: Compiler): GroupAccumulator {
  const { input, shares } = percentileOperands(name, argument, compiler);
  return {
    start(scope) {
      const state = percentiles(shares(scope));
      return {
        add: (inner) => state.add(input(inner)),
        result: () => (name === '$median' ? (state.shares()[0] as Value) : state.result()),
      };
    },
  };
}

export function percentileOperands(
  name: string,
  argument: Value,
  compiler: Compiler,
): { input: Expr; shares: (scope: Scope) => number[] } {
  const members = membersOf(name, argument, name === '$median' ? ['input', 'method'] : ['input', 'p', 'method']);
  if (members.get('method') !== 'approximate')
    throw new ServerError('BadValue', `${name}: only method 'approximate' is supported`);
  const shares = name === '$median' ? undefined : compiler.compile(members.get('p') as Value);
  return {
    input: compiler.compile(members.get('input') as Value),
    shares: (scope) => (shares === undefined ? [0.5] : sharesOf(shares(scope))),
  };
}
