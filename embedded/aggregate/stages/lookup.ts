import { failedToParse, ServerError, typeMismatch } from '../../bson/error';
import { splitPath, valuesAt } from '../../bson/path';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { ValueMap } from '../../bson/valueset';
import { readPath } from '../fieldpath';
import { PAUSE, type StageCompiler, streaming } from '../stage';
import { withValue } from './unwind';

/** A collection's documents by the values of one field, matched as equality in a filter. */
class ByField {
  readonly #positions = new ValueMap<number[]>();

  constructor(
    readonly documents: readonly Doc[],
    field: string,
  ) {
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

function stringOption(options: Doc, name: string): string {
  const value = options.get(name);
  if (value === undefined) throw failedToParse(`must specify '${name}' field for a $lookup`);
  if (typeof value !== 'string')
    throw typeMismatch(`$lookup argument '${name}' must be a string, found ${typeName(value)}`);
  return value;
}

export const lookup: StageCompiler = (argument, { env }) => {
  if (!isDoc(argument)) throw failedToParse('the $lookup stage specification must be an object');
  for (const name of argument.keys()) {
    if (name === 'let' || name === 'pipeline')
      throw failedToParse(`$lookup with '${name}': the built-in store joins by localField and foreignField only`);
    if (!['from', 'as', 'localField', 'foreignField'].includes(name))
      throw new ServerError(40415, `BSON field '$lookup.${name}' is an unknown field.`);
  }
  const from = stringOption(argument, 'from');
  const target = splitPath(stringOption(argument, 'as'));
  const localField = splitPath(stringOption(argument, 'localField'));
  const foreignField = stringOption(argument, 'foreignField');
  return streaming(function* (documents) {
    const index = new ByField([...env.collection(from)], foreignField);
    for (const document of documents)
      yield document === PAUSE ? PAUSE : withValue(document, target, index.find(readPath(document, localField)));
  });
};
