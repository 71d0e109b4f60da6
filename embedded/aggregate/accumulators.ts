import { compare } from '../bson/compare';
import { ServerError } from '../bson/error';
import { asInteger, isNumeric } from '../bson/numeric';
import type { Doc, Maybe, Value } from '../bson/value';
import { ValueSet } from '../bson/valueset';
import { type Compiler, isNullish } from './operator';
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

export function sumOf(): Accumulator {
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
        if (!isNullish(value)) list.push(value);
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
