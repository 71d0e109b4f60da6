import { equals } from '../bson/compare';
import { ServerError } from '../bson/error';
import { type Doc, isDoc, Regex, type Value } from '../bson/value';
import { isOperatorDoc } from '../query/node';

/**
 * The document that a filter's equalities describe: where an upsert starts.
 * @param which all of them, or only `_id` (for a replacement, which brings the rest)
 * @throws ServerError NotSingleValueField (54) when two equalities overlap
 */
export function equalitiesOf(filter: Doc, which: 'all' | 'id'): Doc {
  const found = new Map<string, Value>();
  collect(filter, found);
  const base: Doc = new Map();
  for (const [path, value] of found) {
    if (which === 'all' || path === '_id') place(base, path.split('.'), value);
  }
  return base;
}

function collect(filter: Doc, found: Map<string, Value>): void {
  for (const [name, value] of filter) {
    if (name === '$expr')
      throw new ServerError('QueryFeatureNotAllowed', '$expr is not allowed in the query predicate for an upsert');
    if (name === '$and' || (name === '$or' && (value as Value[]).length === 1)) {
      for (const part of value as Doc[]) collect(part, found);
    } else if (!name.startsWith('$')) {
      for (const equal of equalValues(value)) add(found, name, equal);
    }
  }
}

/** The values that the condition requires of the field. */
function equalValues(condition: Value): Value[] {
  if (!isOperatorDoc(condition)) return condition instanceof Regex ? [] : [condition];
  return [...condition].flatMap(([operator, argument]) => {
    if (operator === '$eq') return [argument];
    const list = Array.isArray(argument) ? argument : [];
    // Equal values of $in are one value.
    const single = operator === '$in' && list.every((value) => equals(value, list[0])) ? list.slice(0, 1) : [];
    const equal = operator === '$all' ? list : single;
    return equal.filter((value) => !(value instanceof Regex) && !isOperatorDoc(value));
  });
}

function add(found: Map<string, Value>, path: string, value: Value): void {
  for (const other of found.keys()) {
    if (other === path) throw notSingle(`path '${path}' is matched twice`);
    if (other.startsWith(`${path}.`) || path.startsWith(`${other}.`))
      throw notSingle(`both paths '${path}' and '${other}' are matched`);
  }
  found.set(path, value);
}

const notSingle = (why: string): ServerError =>
  new ServerError('NotSingleValueField', `cannot infer query fields to set, ${why}`);

function place(base: Doc, path: readonly string[], value: Value): void {
  let target = base;
  for (const part of path.slice(0, -1)) {
    const next = target.get(part);
    const inner: Doc = isDoc(next) ? next : new Map();
    target.set(part, inner);
    target = inner;
  }
  target.set(path.at(-1) as string, value);
}
