import { failedToParse, ServerError } from '../bson/error';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compileSorter, type SortKey } from '../query/sort';
import { type Accumulator, countOf, keepN, plainAccumulator, sumOf } from './accumulators';
import { type Compiler, type Expr, membersOf, type Scope } from './operator';
import { percentileOperands, percentiles } from './percentile';

/** An accumulator as `$group` writes it: started once per group, fed once per document. */
export interface GroupAccumulator {
  start(scope: Scope): { add(scope: Scope): void; result(): Value };
}

/** @throws ServerError 15952 for a name that is no accumulator; JavaScript ones are refused */
export function compileAccumulator(name: string, argument: Value, compiler: Compiler): GroupAccumulator {
  const plain = plainAccumulator(name);
  if (plain !== undefined) return ofInput(compiler.compile(onlyOperand(name, argument)), () => plain(compiler));
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

function onlyOperand(name: string, argument: Value): Value {
  if (!Array.isArray(argument)) return argument;
  if (argument.length !== 1) throw new ServerError(40237, `The ${name} accumulator is a unary operator`);
  return argument[0] as Value;
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
