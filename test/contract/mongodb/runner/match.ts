import { EJSON, ObjectId, type Document } from 'bson';
import { isObject } from '../../../../lib/json';

/** Resolves an entity: a saved value, or a session's id document. */
export interface Entities {
  value(id: string): unknown;
  sessionId(id: string): Document;
}

const canonical = (value: unknown): string => EJSON.stringify({ value }, { relaxed: false });

const isPlain = (value: unknown): value is Document =>
  isObject(value) && !('_bsontype' in value) && !(value instanceof Date) && !(value instanceof Uint8Array);

const isSpecial = (value: unknown): value is Document =>
  isPlain(value) && Object.keys(value).length === 1 && (Object.keys(value)[0] as string).startsWith('$$');

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  (isObject(value) && /^(Int32|Long|Double)$/.test(String(value._bsontype)));

const TYPES: Record<string, (value: unknown) => boolean> = {
  array: Array.isArray,
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  double: isNumber,
  int: isNumber,
  long: isNumber,
  number: isNumber,
  object: isPlain,
  objectId: (value) => value instanceof ObjectId,
  string: (value) => typeof value === 'string',
};

const show = (value: unknown): string => (value === undefined ? 'nothing' : canonical(value).slice(9, -1));

function fail(path: string, wanted: string, actual: unknown): never {
  throw new Error(`at ${path || 'the root'}: wanted ${wanted}, got ${show(actual)}`);
}

function matchSpecial(expected: Document, actual: unknown, entities: Entities, path: string, root: boolean): void {
  const [operator, operand] = Object.entries(expected)[0] as [string, unknown];
  switch (operator) {
    case '$$exists':
      if ((actual !== undefined) !== operand) fail(path, operand ? 'a value' : 'nothing', actual);
      return;
    case '$$unsetOrMatches':
      if (actual !== undefined && actual !== null) match(operand, actual, entities, path, root);
      return;
    case '$$type': {
      const names = [operand].flat() as string[];
      if (!names.some((name) => (TYPES[name] ?? fail(path, `a known type, not ${name}`, actual))(actual))) {
        fail(path, `a value of type ${names.join(' or ')}`, actual);
      }
      return;
    }
    case '$$matchesEntity':
      return match(entities.value(operand as string), actual, entities, path, root);
    case '$$matchesHexBytes':
      if (!(actual instanceof Uint8Array) || Buffer.from(actual).toString('hex') !== operand)
        fail(path, String(operand), actual);
      return;
    case '$$sessionLsid':
      return match(entities.sessionId(operand as string), actual, entities, path, false);
    default:
      throw new Error(`at ${path}: unknown matcher ${operator}`);
  }
}

/**
 * Throws, naming the path, unless `actual` is what the unified test format calls a match of `expected`: numbers by value
 * whatever their type, key order ignored, further keys allowed only in a root document or in each of a root array (`root`).
 */
export function match(expected: unknown, given: unknown, entities: Entities, path = '', root = true): void {
  // The driver keeps the order of sort and index keys in a Map.
  const actual = given instanceof Map ? Object.fromEntries(given) : given;
  if (isSpecial(expected)) return matchSpecial(expected, actual, entities, path, root);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) fail(path, 'an array', actual);
    if (actual.length !== expected.length) fail(path, `${expected.length} elements`, actual);
    for (const [i, element] of expected.entries()) match(element, actual[i], entities, `${path}[${i}]`, root);
    return;
  }
  if (isPlain(expected)) {
    if (!isObject(actual)) fail(path, show(expected), actual);
    for (const [key, value] of Object.entries(expected))
      match(value, actual[key], entities, path ? `${path}.${key}` : key, false);
    if (root) return;
    for (const key of Object.keys(actual))
      if (!Object.hasOwn(expected, key)) fail(`${path}.${key}`, 'nothing', actual[key]);
    return;
  }
  if (isNumber(expected) && isNumber(actual) && Number(expected) === Number(actual)) return;
  if (canonical(expected) !== canonical(actual)) fail(path, show(expected), actual);
}
