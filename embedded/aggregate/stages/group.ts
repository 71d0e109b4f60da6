import { ServerError } from '../../bson/error';
import { type Doc, isDoc, type Value } from '../../bson/value';
import { ValueMap } from '../../bson/valueset';
import { compileAccumulator, type GroupAccumulator } from '../accumulators';
import { scopeOf } from '../expression';
import type { Compiler, Expr } from '../operator';
import { PAUSE, type Stage, type StageCompiler } from '../stage';
import { sortStage } from './flow';

interface Field {
  name: string;
  accumulator: GroupAccumulator;
}

type Running = ReturnType<GroupAccumulator['start']>;

function accumulatedFields(spec: Iterable<[string, Value]>, compiler: Compiler): Field[] {
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
function grouping(id: Expr, fields: readonly Field[]): Stage {
  return (documents) => ({
    *[Symbol.iterator]() {
      const groups = new ValueMap<Running[]>();
      for (const document of documents) {
        if (document === PAUSE) {
          yield PAUSE;
          continue;
        }
        const scope = scopeOf(document);
        const key = id(scope) ?? null;
        let running = groups.get(key);
        if (running === undefined) {
          running = fields.map(({ accumulator }) => accumulator.start());
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
  );
};

const COUNT: [string, Value] = ['count', new Map([['$sum', 1]])];

/** Ties are ordered by `_id`, so that results are deterministic. */
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
  const counts = grouping(compiler.compile(argument), accumulatedFields([COUNT], compiler));
  const order = sortStage(
    new Map([
      ['count', -1],
      ['_id', 1],
    ]),
  );
  return (documents) => order(counts(documents));
};
