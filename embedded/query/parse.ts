import { compileExpression, truthy } from '../aggregate/expression';
import { badValue, failedToParse, ServerError, typeMismatch } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { splitPath } from '../bson/path';
import { type Doc, isDoc, Regex, type Value } from '../bson/value';
import { equalTo, matchesRegex } from './comparison';
import { isOperatorDoc, type Node, type ParseContext, pathNode, REFERENCE_FIELDS } from './node';
import { parseOperators } from './operators';
import { compileSchema } from './schema';

/** A filter document as a tree. @throws ServerError as MongoDB's parser does */
export function parseFilter(filter: Doc, context: ParseContext): Node {
  const children: Node[] = [];
  for (const [name, value] of filter) {
    if (name.startsWith('$') && !REFERENCE_FIELDS.has(name)) children.push(parseTopLevel(name, value, context));
    else children.push(...parseField(name, value, context));
  }
  return children.length === 1 ? (children[0] as Node) : { kind: 'and', children };
}

function parseTopLevel(name: string, value: Value, context: ParseContext): Node {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor':
      return { kind: name.slice(1) as 'and' | 'or' | 'nor', children: parseList(name, value, context) };
    case '$comment':
      return { kind: 'constant', value: true };
    case '$alwaysTrue':
    case '$alwaysFalse':
      if (!isNumeric(value) || toDouble(value) !== 1) throw failedToParse(`${name} must be 1`);
      return { kind: 'constant', value: name === '$alwaysTrue' };
    case '$expr': {
      const evaluate = compileExpression(value, { let: context.let, now: context.now });
      return { kind: 'document', test: (document) => truthy(evaluate(document)) };
    }
    case '$jsonSchema': {
      if (!isDoc(value)) throw typeMismatch('$jsonSchema must be an object');
      return { kind: 'document', test: compileSchema(value) };
    }
    default:
      throw unsupported(name);
  }
}

/** Specific errors for MongoDB features that are not supported; a generic one for unknown operators. */
function unsupported(name: string): ServerError {
  if (name === '$text') return new ServerError('IndexNotFound', 'text index required for $text query');
  if (name === '$where')
    return new ServerError('NotImplemented', '$where is not supported: there is no server-side JavaScript');
  return badValue(`unknown top level operator: ${name}`);
}

function parseList(name: string, value: Value, context: ParseContext): Node[] {
  if (!Array.isArray(value)) throw badValue(`${name} argument must be an array`);
  if (value.length === 0) throw badValue(`${name} argument must be a non-empty array`);
  return value.map((entry) => {
    if (!isDoc(entry)) throw badValue(`${name} argument's entries must be objects`);
    return parseFilter(entry, context);
  });
}

function parseField(name: string, value: Value, context: ParseContext): Node[] {
  const path = splitPath(name);
  if (isOperatorDoc(value)) return parseOperators(name, path, value, context);
  const predicate = value instanceof Regex ? matchesRegex(value.pattern, value.options) : equalTo(value);
  return [pathNode(path, 'elements', predicate)];
}
