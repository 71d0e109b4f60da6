import { failedToParse, ServerError } from '../../bson/error';
import { isNumeric, type Numeric, toDouble } from '../../bson/numeric';
import { double, isDoc, type Doc, type Maybe, type Value } from '../../bson/value';
import { compileSorter } from '../../query/sort';
import { scopeOf } from '../expression';
import { readPath } from '../fieldpath';
import type { Compiler } from '../operator';
import { gathering, optionsOf, type StageCompiler } from '../stage';
import { carriedForward, partitions, type WindowFunction, windowed } from './window';

const isEmpty = (value: Maybe): boolean => value === undefined || value === null;

function byValue(path: string[], expression: Value, compiler: Compiler): WindowFunction {
  const value = compiler.compile(expression);
  return ({ documents }) =>
    documents.map((document) => {
      const own = readPath(document, path);
      return isEmpty(own) ? (value(scopeOf(document)) ?? null) : own;
    });
}

/** Straight lines between known values, over the sort field. Ends without a neighbour become null. */
function linear(path: string[], sortBy: Doc): WindowFunction {
  if (sortBy.size !== 1)
    throw new ServerError(605001, '$fill with method linear must be specified with a sortBy of exactly one field');
  const by = (sortBy.keys().next().value as string).split('.');
  return ({ documents }) => {
    const position = documents.map((document) => numberAt(document, by));
    const values = documents.map((document) => readPath(document, path));
    return values.map((value, index) => {
      if (!isEmpty(value)) return value;
      const left = values.findLastIndex((other, at) => at < index && !isEmpty(other));
      const right = values.findIndex((other, at) => at > index && !isEmpty(other));
      const [a, b] = [values[left], values[right]];
      if (!isNumeric(a) || !isNumeric(b)) return null;
      return between(
        a,
        b,
        (position[index] as number) - (position[left] as number),
        (position[right] as number) - (position[left] as number),
      );
    });
  };
}

const between = (a: Numeric, b: Numeric, part: number, whole: number): Value =>
  double(toDouble(a) + ((toDouble(b) - toDouble(a)) * part) / whole);

function numberAt(document: Doc, path: readonly string[]): number {
  const value = readPath(document, path);
  if (value instanceof Date) return value.getTime();
  if (isNumeric(value)) return toDouble(value);
  throw new ServerError('TypeMismatch', '$fill with method linear needs numbers or dates to sort by');
}

export const fill: StageCompiler = (argument, context, name) => {
  const options = optionsOf(name, argument, ['output'], ['partitionBy', 'partitionByFields', 'sortBy']);
  const [output, sortBy, byFields] = [
    options.get('output') as Value,
    options.get('sortBy'),
    options.get('partitionByFields'),
  ];
  if (!isDoc(output) || (sortBy !== undefined && !isDoc(sortBy)))
    throw failedToParse(`${name}: output and sortBy must be objects`);
  const compiler = context.compiler();
  const partitionBy = Array.isArray(byFields)
    ? new Map(byFields.map((field) => [String(field), `$${String(field)}`]))
    : (options.get('partitionBy') ?? null);
  const fields = [...output].map(([field, spec]) => {
    const path = field.split('.');
    if (!isDoc(spec) || spec.size !== 1) throw failedToParse(`${name}: each output must be {value} or {method}`);
    if (spec.has('value')) return { path, values: byValue(path, spec.get('value') as Value, compiler) };
    if (sortBy === undefined) throw new ServerError(6050201, `${name} with a method needs a sortBy`);
    if (spec.get('method') === 'locf') return { path, values: carriedForward((scope) => readPath(scope.root, path)) };
    if (spec.get('method') === 'linear') return { path, values: linear(path, sortBy) };
    throw new ServerError(6050202, `${name}: method must be either locf or linear`);
  });
  const key = compiler.compile(partitionBy);
  const sorter = sortBy === undefined ? undefined : compileSorter(sortBy, context.collation);
  return gathering((documents) => windowed(fields, partitions(documents, key, sorter, context)));
};
