import { badValue, failedToParse, ServerError } from '../../bson/error';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Value } from '../../bson/value';

/** Where results go instead of to the client. */
export type Terminal =
  | { kind: 'out'; db?: string; collection: string }
  | {
      kind: 'merge';
      db?: string;
      collection: string;
      on: string[];
      let?: Doc;
      whenMatched: WhenMatched;
      whenNotMatched: WhenNotMatched;
    };

/** What happens to a document that is there already: a word, or an update pipeline. */
export type WhenMatched = 'replace' | 'keepExisting' | 'merge' | 'fail' | Value[];
export type WhenNotMatched = 'insert' | 'discard' | 'fail';

/** The `$out` or `$merge` that ends a pipeline; undefined for any other stage. */
export function parseTerminal(name: string, argument: Value): Terminal | undefined {
  if (name === '$out') return parseOut(argument);
  return name === '$merge' ? parseMerge(argument) : undefined;
}

function parseOut(argument: Value): Terminal {
  if (typeof argument === 'string') return { kind: 'out', collection: argument };
  if (!isDoc(argument))
    throw new ServerError(16990, `$out only supports a string or object argument, but found ${typeName(argument)}`);
  return { kind: 'out', ...namespace(argument, '$out') };
}

function namespace(spec: Doc, name: string): { db?: string; collection: string } {
  const [db, collection] = [spec.get('db'), spec.get('coll')];
  for (const member of spec.keys())
    if (member !== 'db' && member !== 'coll')
      throw new ServerError(40415, `BSON field '${name}.${member}' is an unknown field.`);
  if (typeof collection !== 'string' || (db !== undefined && typeof db !== 'string')) {
    throw new ServerError(16994, `${name} needs 'db' and 'coll' to be strings`);
  }
  return db === undefined ? { collection } : { db, collection };
}

const MATCHED = ['replace', 'keepExisting', 'merge', 'fail'] as const;
const NOT_MATCHED = ['insert', 'discard', 'fail'] as const;

function parseMerge(argument: Value): Terminal {
  const spec: Doc = typeof argument === 'string' ? new Map([['into', argument]]) : (argument as Doc);
  if (!isDoc(spec))
    throw new ServerError(51182, `$merge only supports a string or object argument, not ${typeName(spec)}`);
  for (const member of spec.keys()) {
    if (!['into', 'on', 'let', 'whenMatched', 'whenNotMatched'].includes(member))
      throw new ServerError(40415, `BSON field '$merge.${member}' is an unknown field.`);
  }
  const into = spec.get('into');
  if (into === undefined) throw new ServerError(40414, "BSON field '$merge.into' is missing but a required field");
  const variables = spec.get('let');
  if (variables !== undefined && !isDoc(variables)) throw failedToParse("$merge 'let' must be an object");
  return {
    kind: 'merge',
    ...(typeof into === 'string' ? { collection: into } : isDoc(into) ? namespace(into, '$merge') : notNamespace()),
    on: onFields(spec.get('on') ?? '_id'),
    let: variables,
    whenMatched: matchedAction(spec.get('whenMatched') ?? 'merge'),
    whenNotMatched: word(spec.get('whenNotMatched') ?? 'insert', NOT_MATCHED, 'whenNotMatched'),
  };
}

function notNamespace(): never {
  throw new ServerError(51178, "$merge 'into' must be a string or an object");
}

function onFields(value: Value): string[] {
  const fields = Array.isArray(value) ? value : [value];
  if (fields.length === 0)
    throw new ServerError(51187, "If explicitly specifying $merge 'on', must include at least one field");
  return fields.map((field) => {
    if (typeof field !== 'string')
      throw new ServerError(51186, "$merge 'on' field must be either a string or an array of strings");
    return field;
  });
}

const matchedAction = (value: Value): WhenMatched =>
  Array.isArray(value) ? value : word(value, MATCHED, 'whenMatched');

function word<T extends string>(value: Value, words: readonly T[], field: string): T {
  const found = words.find((candidate) => candidate === value);
  if (found === undefined)
    throw badValue(`Enumeration value '${String(value)}' for field '${field}' is not a valid value.`);
  return found;
}
