import { compare } from '../../bson/compare';
import { ServerError } from '../../bson/error';
import { asInteger, isNumeric } from '../../bson/numeric';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { ValueMap } from '../../bson/valueset';
import { compileAccumulator, type GroupAccumulator } from '../groupaccumulator';
import { scopeOf } from '../expression';
import type { Compiler, Expr } from '../operator';
import { gathering, optionsOf, PAUSE, type Stage, type StageCompiler, type StageContext } from '../stage';
import { sortStage } from './flow';

interface Field {
  name: string;
  accumulator: GroupAccumulator;
}

type Running = ReturnType<GroupAccumulator['start']>;

export function accumulatedFields(spec: Iterable<[string, Value]>, compiler: Compiler): Field[] {
  return [...spec].map(([name, value]) => {
    if (name.includes('.')) throw new ServerError(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith('$')) throw new ServerError(40236, `The field name '${name}' cannot be an operator name`);
    if (!isDoc(value)) throw new ServerError(40234, `The field '${name}' must be an accumulator object`);
    if (value.size !== 1) throw new ServerError(40238, `The field '${name}' must specify one accumulator`);
    const [operator, argument] = value.entries().next().value as [string, Value];
    return { name, accumulator: compileAccumulator(operator, argument, compiler) };
  });
}

/** Groups in order of first appearance. A missing key is grouped with null. */
function grouping(id: Expr, fields: readonly Field[], context: StageContext): Stage {
  return (documents) => ({
    *[Symbol.iterator]() {
      const groups = new ValueMap<Running[]>(context.collation);
      for (const document of documents) {
        if (document === PAUSE) {
          yield PAUSE;
          continue;
        }
        const scope = scopeOf(document);
        const key = id(scope) ?? null;
        let running = groups.get(key);
        if (running === undefined) {
          running = fields.map(({ accumulator }) => accumulator.start(scope));
          groups.set(key, running);
        }
        for (const state of running) state.add(scope);
      }
      for (const [key, running] of groups) {
        const result: Doc = new Map([['_id', key as Value]]);
        for (const [index, { name }] of fields.entries()) result.set(name, (running[index] as Running).result());
        yield result;
      }
    },
  });
}

export const group: StageCompiler = (argument, context) => {
  if (!isDoc(argument)) throw new ServerError(15947, "a group's fields must be specified in an object");
  const id = argument.get('_id');
  if (id === undefined) throw new ServerError(15955, 'a group specification must include an _id');
  const compiler = context.compiler();
  return grouping(
    compiler.compile(id),
    accumulatedFields(
      [...argument].filter(([name]) => name !== '_id'),
      compiler,
    ),
    context,
  );
};

const COUNT: [string, Value] = ['count', new Map([['$sum', 1]])];

/** Ties come in order of `_id`, so that answers repeat. */
export const sortByCount: StageCompiler = (argument, context) => {
  const isExpression = isDoc(argument) && argument.size === 1 && argument.keys().next().value?.startsWith('$') === true;
  if (!isDoc(argument) && typeof argument !== 'string')
    throw new ServerError(40149, 'the sortByCount field must be specified as a string or as an object');
  if (!isExpression && !(typeof argument === 'string' && argument.startsWith('$'))) {
    throw new ServerError(
      isDoc(argument) ? 40147 : 40148,
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    );
  }
  const compiler = context.compiler();
  const counts = grouping(compiler.compile(argument), accumulatedFields([COUNT], compiler), context);
  const order = sortStage(
    new Map([
      ['count', -1],
      ['_id', 1],
    ]),
    context,
  );
  return (documents) => order(counts(documents));
};

function outputOf(options: Doc, compiler: Compiler): Field[] {
  const output = options.get('output');
  if (output !== undefined && !isDoc(output)) throw new ServerError(40196, "The 'output' option must be an object");
  return accumulatedFields(output ?? [COUNT], compiler);
}

export const bucket: StageCompiler = (argument, context, name) => {
  const options = optionsOf(name, argument, ['groupBy', 'boundaries'], ['default', 'output'], {
    notDocument: 40201,
    unknown: 40197,
    missing: 40198,
  });
  const boundaries = options.get('boundaries') as Value;
  if (!Array.isArray(boundaries)) throw new ServerError(40191, "The $bucket 'boundaries' field must be an array");
  if (boundaries.length < 2) throw new ServerError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  for (const [index, value] of boundaries.entries()) {
    if (index > 0 && compare(boundaries[index - 1], value) >= 0) {
      throw new ServerError(
        40194,
        `The 'boundaries' option to $bucket must be sorted, but elements ${index - 1} and ${index} are not in ascending order`,
      );
    }
  }
  const compiler = context.compiler();
  const groupBy = compiler.compile(options.get('groupBy') as Value);
  const other = options.get('default');
  const id: Expr = (scope) => bucketOf(groupBy(scope), boundaries, other);
  const groups = grouping(id, outputOf(options, compiler), context);
  const order = sortStage(new Map([['_id', 1]]), context);
  return (documents) => order(groups(documents));
};

function bucketOf(value: Maybe, boundaries: readonly Value[], other: Maybe): Value {
  const above = boundaries.findIndex((boundary) => compare(value, boundary) < 0);
  if (above > 0) return boundaries[above - 1] as Value;
  if (other === undefined)
    throw new ServerError(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  return other;
}

/** Buckets of about equal size; equal values never part. */
export const bucketAuto: StageCompiler = (argument, context, name) => {
  const options = optionsOf(name, argument, ['groupBy', 'buckets'], ['output', 'granularity'], {
    notDocument: 40240,
    unknown: 40245,
    missing: 40246,
  });
  if (options.has('granularity'))
    throw new ServerError('NotImplemented', '$bucketAuto with granularity is not supported');
  const buckets = options.get('buckets') as Value;
  const wanted = isNumeric(buckets) ? asInteger(buckets) : undefined;
  if (wanted === undefined || wanted <= 0n)
    throw new ServerError(40243, "The $bucketAuto 'buckets' field must be greater than 0");
  const compiler = context.compiler();
  const groupBy = compiler.compile(options.get('groupBy') as Value);
  const fields = outputOf(options, compiler);
  return gathering((documents) => {
    const rows = documents.map((document) => ({ scope: scopeOf(document), key: groupBy(scopeOf(document)) ?? null }));
    rows.sort((a, b) => compare(a.key, b.key, context.collation.compare));
    const result: Doc[] = [];
    const size = Math.max(1, Math.round(rows.length / Number(wanted)));
    for (let from = 0; from < rows.length; ) {
      let to = result.length === Number(wanted) - 1 ? rows.length : Math.min(rows.length, from + size);
      while (to < rows.length && compare(rows[to]?.key, rows[to - 1]?.key) === 0) to++;
      const part = rows.slice(from, to);
      const running = fields.map(({ accumulator }) => accumulator.start((part[0] as (typeof rows)[0]).scope));
      for (const { scope } of part) for (const state of running) state.add(scope);
      const max = (rows[Math.min(to, rows.length - 1)] as (typeof rows)[0]).key;
      const bounds: Doc = new Map([
        ['min', (part[0] as (typeof rows)[0]).key],
        ['max', max],
      ]);
      const bucketDoc: Doc = new Map([['_id', bounds as Value]]);
      for (const [index, field] of fields.entries()) bucketDoc.set(field.name, (running[index] as Running).result());
      result.push(bucketDoc);
      from = to;
    }
    return result;
  });
};
