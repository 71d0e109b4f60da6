import { compare } from '../bson/compare';
import { failedToParse, ServerError } from '../bson/error';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import { ValueSet } from '../bson/valueset';
import { type Compiler, type Expr, isNullish, nary, type Operator, type Operators, type Scope } from './operator';
import { mergeInto } from './operators/object';
import { Sum } from './sum';

/** Collects one value per document of a group, or per element of a list. */
interface Accumulator {
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

const extreme = (sign: 1 | -1): Accumulator =>
  fold(undefined, (best, value) => {
    if (isNullish(value)) return best;
    return best === undefined || compare(value, best) * sign > 0 ? value : best;
  });

function sumOf(): Accumulator {
  const sum = new Sum();
  return { add: (value) => sum.add(value), result: () => sum.total };
}

function averageOf(): Accumulator {
  const sum = new Sum();
  return { add: (value) => sum.add(value), result: () => sum.average };
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

function setOf(): Accumulator {
  const set = new ValueSet();
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
const ACCUMULATORS: ReadonlyMap<string, () => Accumulator> = new Map(
  Object.entries({
    $sum: sumOf,
    $avg: averageOf,
    $min: () => extreme(-1),
    $max: () => extreme(1),
    $first: firstOf,
    $last: () => fold(undefined, (_, value) => value),
    $push: listOf,
    $addToSet: setOf,
    $mergeObjects: merged,
  }),
);

/** An accumulator of `$group`: created once per group, fed once per document. */
export interface GroupAccumulator {
  start(): { add(scope: Scope): void; result(): Value };
}

/** @throws ServerError 15952 for an unsupported accumulator */
export function compileAccumulator(name: string, argument: Value, compiler: Compiler): GroupAccumulator {
  if (name === '$count') {
    if (!isDoc(argument) || argument.size > 0) throw failedToParse('$count takes no arguments, i.e. $count:{}');
    return ofInput(() => 1, sumOf);
  }
  const create = ACCUMULATORS.get(name);
  if (create === undefined)
    throw new ServerError(
      15952,
      `unknown group operator '${name}'. The built-in store does not have this accumulator.`,
    );
  return ofInput(compiler.compile(onlyOperand(name, argument)), create);
}

function onlyOperand(name: string, argument: Value): Value {
  if (!Array.isArray(argument)) return argument;
  if (argument.length !== 1) throw new ServerError(40237, `The ${name} accumulator is a unary operator`);
  return argument[0] as Value;
}

const ofInput = (input: Expr, create: () => Accumulator): GroupAccumulator => ({
  start() {
    const accumulator = create();
    return { add: (scope) => accumulator.add(input(scope)), result: () => accumulator.result() };
  },
});

/** Accumulators outside `$group`: over their operands, or over the elements of a single array operand. */
const overValues = (create: () => Accumulator): Operator =>
  nary((values) => {
    const accumulator = create();
    const [only] = values;
    for (const value of values.length === 1 && Array.isArray(only) ? only : values) accumulator.add(value);
    return accumulator.result();
  });

export const summary: Operators = {
  $sum: overValues(sumOf),
  $avg: overValues(averageOf),
  $min: overValues(() => extreme(-1)),
  $max: overValues(() => extreme(1)),
};
