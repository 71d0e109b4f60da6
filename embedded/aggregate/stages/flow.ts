import { ServerError } from '../../bson/error';
import { asInteger, isNumeric } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Value } from '../../bson/value';
import { compileFilter } from '../../query/matcher';
import { compileSorter } from '../../query/sort';
import { gathering, optionsOf, PAUSE, type Stage, type StageCompiler, streaming } from '../stage';

export const match: StageCompiler = (argument, { env }) => {
  if (!isDoc(argument)) throw new ServerError(15959, 'the match filter must be an expression in an object');
  const matches = compileFilter(argument, { let: env.let as ReadonlyMap<string, Value>, now: env.now });
  return streaming(function* (documents) {
    for (const document of documents) if (document === PAUSE || matches(document)) yield document;
  });
};

function wholeNumber(argument: Value, name: string, code: number): number {
  const integer = isNumeric(argument) ? asInteger(argument) : undefined;
  if (integer === undefined || integer < 0n) {
    throw new ServerError(
      code,
      `invalid argument to ${name} stage: Expected a non-negative integer, found ${typeName(argument)}`,
    );
  }
  return Number(integer);
}

/** The number that a `$limit` stage allows. */
export function limitOf(argument: Value): number {
  const max = wholeNumber(argument, '$limit', 5107201);
  if (max === 0) throw new ServerError(15958, 'the limit must be positive');
  return max;
}

export const limit: StageCompiler = (argument) => {
  const max = limitOf(argument);
  return streaming(function* (documents) {
    let count = 0;
    for (const document of documents) {
      yield document;
      if (document !== PAUSE && ++count >= max) return;
    }
  });
};

export const skip: StageCompiler = (argument) => {
  const min = wholeNumber(argument, '$skip', 5107200);
  return streaming(function* (documents) {
    let count = 0;
    for (const document of documents) if (document === PAUSE || ++count > min) yield document;
  });
};

/** A full sort; with a limit only that many documents (and some slack) are kept at a time. */
export function sortStage(spec: Value, max = Number.POSITIVE_INFINITY): Stage {
  if (!isDoc(spec)) throw new ServerError(15973, 'the $sort key specification must be an object');
  if (spec.size === 0) throw new ServerError(15976, '$sort stage must have at least one sort key');
  const sorter = compileSorter(spec);
  return streaming(function* (documents) {
    let rows: { key: ReturnType<typeof sorter.key>; document: Doc }[] = [];
    const order = (): void => {
      rows.sort((a, b) => sorter.compareKeys(a.key, b.key));
      if (rows.length > max) rows = rows.slice(0, max);
    };
    for (const document of documents) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      rows.push({ key: sorter.key(document), document });
      if (rows.length > 2 * max + 1000) order();
    }
    order();
    for (const row of rows) yield row.document;
  });
}

export const sort: StageCompiler = (argument) => sortStage(argument);

export const count: StageCompiler = (argument) => {
  if (typeof argument !== 'string' || argument === '')
    throw new ServerError(40157, 'the count field must be a non-empty string');
  if (argument.startsWith('$')) throw new ServerError(40158, 'the count field cannot be a $-prefixed path');
  if (argument.includes('.')) throw new ServerError(40160, "the count field cannot contain '.'");
  return streaming(function* (documents) {
    let total = 0;
    for (const document of documents) {
      if (document === PAUSE) yield PAUSE;
      else total++;
    }
    if (total > 0) yield new Map([[argument, total]]);
  });
};

export const sample: StageCompiler = (argument, _context, name) => {
  const size = optionsOf(name, argument, ['size'], [], { notDocument: 28745, unknown: 28748, missing: 28749 }).get(
    'size',
  ) as Value;
  const wanted = isNumeric(size) ? asInteger(size) : undefined;
  if (wanted === undefined || wanted <= 0n)
    throw new ServerError(28747, 'size argument to $sample must be a positive integer');
  return gathering((documents) => {
    const take = Math.min(Number(wanted), documents.length);
    for (let index = 0; index < take; index++) {
      const other = index + Math.floor(Math.random() * (documents.length - index));
      [documents[index], documents[other]] = [documents[other] as Doc, documents[index] as Doc];
    }
    return documents.slice(0, take);
  });
};

export const facet: StageCompiler = (argument, context) => {
  if (!isDoc(argument) || argument.size === 0)
    throw new ServerError(40169, 'the $facet specification must be a non-empty object');
  const branches = [...argument].map(([field, stages]) => {
    if (!Array.isArray(stages))
      throw new ServerError(40170, `arguments to $facet must be arrays, ${field} is type ${typeName(stages)}`);
    return [field, context.facet(stages)] as const;
  });
  return gathering((documents) => {
    const result: Doc = new Map();
    for (const [field, run] of branches) result.set(field, [...run(documents)]);
    return [result];
  });
};
