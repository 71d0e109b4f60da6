import { add, subtract } from '../../bson/arithmetic';
import { compare } from '../../bson/compare';
import { failedToParse, ServerError } from '../../bson/error';
import { asInteger, isNumeric, toDouble } from '../../bson/numeric';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { ValueMap } from '../../bson/valueset';
import { compileSorter, type Sorter } from '../../query/sort';
import { compileAccumulator } from '../groupaccumulator';
import { scopeOf } from '../expression';
import { readPath } from '../fieldpath';
import type { Compiler, Scope } from '../operator';
import { addUnits, type Unit, unitOf } from '../operators/datemath';
import { UTC } from '../operators/calendar';
import { gathering, optionsOf, type StageCompiler, type StageContext } from '../stage';
import { withValue } from './unwind';

/** One partition, sorted: what a window function sees. */
export interface Partition {
  documents: readonly Doc[];
  /** Whether two neighbours are equal by the sort. */
  ties(a: number, b: number): boolean;
}

/** The values of one output field for a whole partition, in its order. */
export type WindowFunction = (partition: Partition) => Maybe[];

/** Splits into partitions in order of first appearance and sorts each. */
export function partitions(
  documents: readonly Doc[],
  key: (scope: Scope) => Maybe,
  sorter: Sorter | undefined,
  context: StageContext,
): Partition[] {
  const groups = new ValueMap<Doc[]>(context.collation);
  for (const document of documents) {
    const value = key(scopeOf(document)) ?? null;
    if (Array.isArray(value))
      throw new ServerError('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');
    const known = groups.get(value);
    if (known === undefined) groups.set(value, [document]);
    else known.push(document);
  }
  return [...groups].map(([, members]) => {
    const rows = members.map((document) => ({ document, key: sorter?.key(document) ?? [] }));
    if (sorter !== undefined) rows.sort((a, b) => sorter.compareKeys(a.key, b.key));
    return {
      documents: rows.map((row) => row.document),
      ties: (a, b) => sorter?.compareKeys(rows[a]?.key ?? [], rows[b]?.key ?? []) === 0,
    };
  });
}

type Bound = 'unbounded' | 'current' | number;

function boundsOf(value: Maybe, what: string): [Bound, Bound] {
  const bounds = Array.isArray(value) ? value : [];
  const parsed = bounds.map((bound) =>
    bound === 'unbounded' || bound === 'current' ? bound : isNumeric(bound) ? toDouble(bound) : undefined,
  );
  const [low, high] = parsed;
  if (bounds.length !== 2 || low === undefined || high === undefined)
    throw failedToParse(`Window bounds of '${what}' must be a 2-element array`);
  return [low, high];
}

/** For each position the part of the partition that its window covers, as [from, to). */
type Frame = (partition: Partition) => (index: number) => [number, number];

function documentFrame([low, high]: [Bound, Bound]): Frame {
  const offset = (bound: Bound, unbounded: number): number =>
    bound === 'unbounded' ? unbounded : bound === 'current' ? 0 : bound;
  return ({ documents: { length } }) => {
    const [before, after] = [offset(low, -length), offset(high, length)];
    return (index) => [Math.max(0, index + before), Math.min(length, index + after + 1)];
  };
}

/** By the value of the sort field; documents whose value is no number (or date, with a unit) have no window. */
function rangeFrame([low, high]: [Bound, Bound], unit: Unit | undefined, sortBy: Doc | undefined): Frame {
  if (sortBy?.size !== 1) throw new ServerError(5339902, 'Range-based window require a sortBy with exactly one field');
  const [field, direction] = sortBy.entries().next().value as [string, Value];
  if (!isNumeric(direction) || asInteger(direction) !== 1n)
    throw new ServerError(8947401, 'Range-based windows require an ascending sortBy');
  const shifted = (value: Value, bound: number): Value => {
    if (unit !== undefined && value instanceof Date) return new Date(addUnits(value.getTime(), unit, bound, UTC));
    if (unit === undefined && isNumeric(value)) return bound < 0 ? subtract(value, -bound) : add(value, bound);
    throw new ServerError(5429513, 'a range-based window needs numbers, or dates with a unit, to sort by');
  };
  const limit = (value: Value, bound: Bound): Maybe => (typeof bound === 'number' ? shifted(value, bound) : undefined);
  return ({ documents }) => {
    const values = documents.map((document) => readPath(document, field.split('.')) ?? null);
    return (index) => {
      const current = values[index] as Value;
      const [least, most] = [limit(current, low), limit(current, high)];
      // `current` is the document itself; a distance of zero takes its equals too.
      const from =
        low === 'current' ? index : least === undefined ? 0 : values.findIndex((value) => compare(value, least) >= 0);
      const to =
        high === 'current'
          ? index + 1
          : most === undefined
            ? values.length
            : values.findLastIndex((value) => compare(value, most) <= 0) + 1;
      return [from < 0 ? values.length : from, to];
    };
  };
}

function frameOf(window: Maybe, sortBy: Doc | undefined): Frame {
  if (window === undefined) return documentFrame(['unbounded', 'unbounded']);
  if (!isDoc(window)) throw failedToParse("'window' field must be an object");
  const unit = window.get('unit');
  if (window.has('documents')) {
    if (sortBy === undefined) throw new ServerError(5339901, 'Document-based bounds require a sortBy');
    return documentFrame(boundsOf(window.get('documents'), 'documents'));
  }
  if (!window.has('range')) throw failedToParse("'window' field can only contain 'documents' or 'range' with 'unit'");
  return rangeFrame(
    boundsOf(window.get('range'), 'range'),
    unit === undefined ? undefined : unitOf(unit, '$setWindowFields'),
    sortBy,
  );
}

/** Numbers each document by how many sort groups or documents come before it. */
const ranking =
  (next: (rank: number, index: number, ties: boolean) => number): WindowFunction =>
  ({ documents, ties }) => {
    let rank = 0;
    return documents.map((_, index) => {
      rank = next(rank, index, index > 0 && ties(index - 1, index));
      return rank;
    });
  };

const RANKS: Readonly<Record<string, WindowFunction>> = {
  $documentNumber: ranking((_, index) => index + 1),
  $rank: ranking((rank, index, ties) => (ties ? rank : index + 1)),
  $denseRank: ranking((rank, _, ties) => (ties ? rank : rank + 1)),
};

function shift(argument: Value, compiler: Compiler): WindowFunction {
  const options = optionsOf('$shift', argument, ['output', 'by'], ['default']);
  const output = compiler.compile(options.get('output') as Value);
  const by = options.get('by') as Value;
  const offset = isNumeric(by) ? asInteger(by) : undefined;
  if (offset === undefined) throw failedToParse("$shift's 'by' field must be an integer");
  const other = options.get('default') ?? null;
  return ({ documents }) =>
    documents.map((_, index) => {
      const source = documents[index + Number(offset)];
      return source === undefined ? other : (output(scopeOf(source)) ?? null);
    });
}

/** The last value seen carries forward over null and missing. */
export const carriedForward =
  (value: (scope: Scope) => Maybe): WindowFunction =>
  ({ documents }) => {
    let last: Maybe = null;
    return documents.map((document) => {
      const own = value(scopeOf(document));
      if (own !== undefined && own !== null) last = own;
      return last;
    });
  };

function accumulated(operator: string, argument: Value, frame: Frame, compiler: Compiler): WindowFunction {
  const accumulator = compileAccumulator(operator, argument, compiler);
  return (partition) => {
    const window = frame(partition);
    const scopes = partition.documents.map((document) => scopeOf(document));
    return scopes.map((scope, index) => {
      const [from, to] = window(index);
      const running = accumulator.start(scope);
      for (let at = from; at < to; at++) running.add(scopes[at] as Scope);
      return running.result();
    });
  };
}

const UNSUPPORTED = new Set([
  '$derivative',
  '$integral',
  '$expMovingAvg',
  '$covariancePop',
  '$covarianceSamp',
  '$linearFill',
  '$minMaxScaler',
]);

function windowFunction(spec: Value, sortBy: Doc | undefined, compiler: Compiler): WindowFunction {
  if (!isDoc(spec)) throw failedToParse('the field of a window function must be an object');
  const names = [...spec.keys()].filter((name) => name !== 'window');
  const [operator] = names;
  if (operator === undefined || names.length > 1)
    throw failedToParse('a window function must be an object with one operator');
  const argument = spec.get(operator) as Value;
  if (UNSUPPORTED.has(operator))
    throw new ServerError('NotImplemented', `The window function ${operator} is not supported`);
  if (Object.hasOwn(RANKS, operator) || operator === '$shift') {
    if (sortBy === undefined) throw new ServerError(5371602, `${operator} requires a sortBy`);
    return operator === '$shift' ? shift(argument, compiler) : (RANKS[operator] as WindowFunction);
  }
  if (operator === '$locf') return carriedForward(compiler.compile(argument));
  return accumulated(operator, argument, frameOf(spec.get('window'), sortBy), compiler);
}

/** Writes each function's values into the documents, partition after partition. */
export const windowed = (
  fields: readonly { path: string[]; values: WindowFunction }[],
  parts: readonly Partition[],
): Doc[] =>
  parts.flatMap((partition) => {
    const columns = fields.map(({ values }) => values(partition));
    return partition.documents.map((document, row) =>
      fields.reduce((result, { path }, column) => withValue(result, path, columns[column]?.[row]), document),
    );
  });

export const setWindowFields: StageCompiler = (argument, context, name) => {
  const options = optionsOf(name, argument, ['output'], ['partitionBy', 'sortBy']);
  const sortBy = options.get('sortBy');
  const output = options.get('output') as Value;
  if ((sortBy !== undefined && !isDoc(sortBy)) || !isDoc(output))
    throw failedToParse(`${name}: sortBy and output must be objects`);
  const compiler = context.compiler();
  const key = compiler.compile(options.get('partitionBy') ?? null);
  const sorter = sortBy === undefined ? undefined : compileSorter(sortBy, context.collation);
  const fields = [...output].map(([path, spec]) => ({
    path: path.split('.'),
    values: windowFunction(spec, sortBy, compiler),
  }));
  return gathering((documents) => windowed(fields, partitions(documents, key, sorter, context)));
};
