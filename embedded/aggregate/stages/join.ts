import { failedToParse, ServerError, typeMismatch } from '../../bson/error';
import { splitPath, valuesAt } from '../../bson/path';
import { asInteger, isNumeric } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Maybe, Regex, type Value } from '../../bson/value';
import { ValueMap } from '../../bson/valueset';
import { compileFilter } from '../../query/matcher';
import { scopeOf } from '../expression';
import { assertFieldPath, readPath } from '../fieldpath';
import type { Expr } from '../operator';
import { assertVariableName } from '../operators/iteration';
import { PAUSE, type Stage, type StageCompiler, type StageContext, streaming } from '../stage';
import { withValue } from './unwind';

/** The documents of a collection by the values of one field, as equality in a filter would find them. */
class ByField {
  readonly #positions: ValueMap<number[]>;

  constructor(
    readonly documents: readonly Doc[],
    field: string,
    context: StageContext,
  ) {
    this.#positions = new ValueMap(context.collation);
    for (const [position, document] of documents.entries()) {
      for (const value of keysOf(document, field)) {
        const known = this.#positions.get(value);
        if (known === undefined) this.#positions.set(value, [position]);
        else if (known.at(-1) !== position) known.push(position);
      }
    }
  }

  /** Documents that match the value, or any element of an array (an empty one counts as null), in collection order. */
  find(value: Maybe): Doc[] {
    const wanted: Maybe[] =
      Array.isArray(value) && value.length > 0 ? value : [Array.isArray(value) ? null : (value ?? null)];
    const positions = new Set(wanted.flatMap((entry) => this.#positions.get(entry) ?? []));
    return [...positions].sort((a, b) => a - b).map((position) => this.documents[position] as Doc);
  }
}

/** Index keys plus the whole array, which a filter also compares. */
function keysOf(document: Doc, field: string): Value[] {
  const whole = readPath(document, splitPath(field));
  return [...valuesAt(document, field).values.map((value) => value ?? null), ...(Array.isArray(whole) ? [whole] : [])];
}

function stringOption(options: Doc, name: string): string | undefined {
  const value = options.get(name);
  if (value !== undefined && typeof value !== 'string')
    throw typeMismatch(`$lookup argument '${name}' must be a string, found ${typeName(value)}`);
  return value;
}

export const lookup: StageCompiler = (argument, context) => {
  if (!isDoc(argument)) throw failedToParse('the $lookup stage specification must be an object');
  for (const name of argument.keys()) {
    if (!['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'].includes(name))
      throw new ServerError(40415, `BSON field '$lookup.${name}' is an unknown field.`);
  }
  const [from, as, localField, foreignField] = ['from', 'as', 'localField', 'foreignField'].map((name) =>
    stringOption(argument, name),
  );
  if (as === undefined) throw failedToParse("must specify 'as' field for a $lookup");
  const stages = argument.get('pipeline');
  if (
    (localField === undefined) !== (foreignField === undefined) ||
    (stages === undefined && localField === undefined)
  ) {
    throw failedToParse("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  }
  if (from === undefined && stages === undefined) throw failedToParse("must specify 'from' field for a $lookup");
  const variables = letOf(argument.get('let'), context);
  const values = new Map<string, Maybe>(context.env.let ?? []);
  for (const { name } of variables) values.set(name, undefined);
  const inner = stages === undefined ? undefined : context.pipeline(stages, { let: values, within: '$lookup' });
  const target = splitPath(as);
  return streaming(function* (documents) {
    const foreign = from === undefined ? [] : [...context.env.collection(from)];
    const index = foreignField === undefined ? undefined : new ByField(foreign, foreignField, context);
    for (const document of documents) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      const scope = scopeOf(document);
      for (const { name, value } of variables) values.set(name, value(scope));
      const found = index === undefined ? foreign : index.find(readPath(document, splitPath(localField as string)));
      yield withValue(document, target, inner === undefined ? found : [...inner(found)]);
    }
  });
};

function letOf(spec: Maybe, context: StageContext): { name: string; value: Expr }[] {
  if (spec === undefined) return [];
  if (!isDoc(spec)) throw failedToParse("$lookup argument 'let: ...' must be an object");
  const compiler = context.compiler();
  return [...spec].map(([name, value]) => {
    assertVariableName(name);
    return { name, value: compiler.compile(value) };
  });
}

export const unionWith: StageCompiler = (argument, context) => {
  if (typeof argument !== 'string' && !isDoc(argument)) {
    throw failedToParse(
      `the $unionWith stage specification must be an object or string, but found ${typeName(argument)}`,
    );
  }
  const name = isDoc(argument) ? argument.get('coll') : argument;
  const stages = isDoc(argument) ? argument.get('pipeline') : undefined;
  if (name !== undefined && typeof name !== 'string')
    throw new ServerError('TypeMismatch', '$unionWith: coll must be a string');
  if (name === undefined && stages === undefined)
    throw failedToParse('$unionWith stage without explicit collection must have a pipeline');
  const run: Stage =
    stages === undefined ? (documents) => documents : context.pipeline(stages, { within: '$unionWith' });
  return streaming(function* (documents) {
    yield* documents;
    yield* run(name === undefined ? [] : context.env.collection(name));
  });
};

export const graphLookup: StageCompiler = (argument, context) => {
  const options = graphOptions(argument);
  const start = context.compiler().compile(options.startWith);
  const restrict =
    options.restrict === undefined
      ? () => true
      : compileFilter(options.restrict, { collation: context.collation, now: context.env.now });
  const target = splitPath(options.as);
  return streaming(function* (documents) {
    const index = new ByField(
      [...context.env.collection(options.from)].filter(restrict),
      options.connectToField,
      context,
    );
    for (const document of documents) {
      yield document === PAUSE ? PAUSE : withValue(document, target, reach(index, start(scopeOf(document)), options));
    }
  });
};

interface GraphOptions {
  from: string;
  startWith: Value;
  connectFromField: string;
  connectToField: string;
  as: string;
  maxDepth?: number;
  depthField?: string;
  restrict?: Doc;
}

function graphOptions(argument: Value): GraphOptions {
  if (!isDoc(argument)) throw failedToParse('the $graphLookup stage specification must be an object');
  const known = [
    'from',
    'startWith',
    'connectFromField',
    'connectToField',
    'as',
    'maxDepth',
    'depthField',
    'restrictSearchWithMatch',
  ];
  for (const name of argument.keys())
    if (!known.includes(name)) throw new ServerError(40104, `Unknown argument to $graphLookup: ${name}`);
  const text = (name: string): string => {
    const value = argument.get(name);
    if (value === undefined) throw failedToParse(`missing '${name}' option to $graphLookup stage specification`);
    if (typeof value !== 'string') throw new ServerError(40103, `expected string as argument for ${name}`);
    assertFieldPath(value);
    return value;
  };
  const startWith = argument.get('startWith');
  if (startWith === undefined) throw failedToParse("missing 'startWith' option to $graphLookup stage specification");
  const depth = argument.get('maxDepth');
  const maxDepth = depth === undefined ? undefined : isNumeric(depth) ? Number(asInteger(depth) ?? -1n) : -1;
  if (maxDepth !== undefined && maxDepth < 0)
    throw new ServerError(40101, 'maxDepth requires a nonnegative integer argument');
  const restrict = argument.get('restrictSearchWithMatch');
  if (restrict !== undefined && !isDoc(restrict))
    throw new ServerError(40185, 'restrictSearchWithMatch must be an object');
  return {
    from: text('from'),
    startWith,
    connectFromField: text('connectFromField'),
    connectToField: text('connectToField'),
    as: text('as'),
    maxDepth,
    depthField: argument.has('depthField') ? text('depthField') : undefined,
    restrict,
  };
}

/** Breadth first, each document once, at its least depth. */
function reach(index: ByField, start: Maybe, options: GraphOptions): Doc[] {
  const found = new Map<Doc, number>();
  let frontier: Maybe[] = Array.isArray(start) ? start : [start ?? null];
  const asked = new ValueMap<true>();
  for (let depth = 0; frontier.length > 0 && depth <= (options.maxDepth ?? Number.POSITIVE_INFINITY); depth++) {
    const next: Maybe[] = [];
    for (const value of frontier) {
      if (value instanceof Regex || asked.has(value)) continue;
      asked.set(value, true);
      for (const document of index.find(Array.isArray(value) ? [value] : value)) {
        if (found.has(document)) continue;
        found.set(document, depth);
        const onward = readPath(document, splitPath(options.connectFromField));
        if (Array.isArray(onward)) next.push(...onward);
        else if (onward !== undefined) next.push(onward);
      }
    }
    frontier = next;
  }
  const { depthField } = options;
  return [...found].map(([document, depth]) =>
    depthField === undefined ? document : withValue(document, splitPath(depthField), BigInt(depth)),
  );
}
