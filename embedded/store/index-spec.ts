import { type RawPath, rawPath } from '../bson/raw';
import { ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import { compileFilter } from '../query/matcher';
import { type SharedCondition, sharedConditions } from './partial-filter';

/** Longer keys would leave too few per page. The index id and the record id complete the 1,978 bytes. */
const KEY_BYTES = 1978 - 4 - 6;
const MAX_FIELDS = 32;
const MAX_NAME_BYTES = 255;

export interface IndexField {
  readonly path: string;
  readonly raw: RawPath;
  readonly descending: boolean;
}

/** The filter of a partial index. */
interface PartialFilter {
  readonly filter: Doc;
  readonly conditions: readonly SharedCondition[];
}

/** An index in memory. Users see `spec`, kept as written. */
export interface Index {
  readonly id: number;
  name: string;
  spec: Doc;
  readonly fields: readonly IndexField[];
  /** The top-level fields that its keys and its partial filter depend on. */
  readonly roots: readonly string[];
  /** Maximum encoded size of one field in bytes. */
  readonly fieldLimit: number;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial?: PartialFilter;
  hidden: boolean;
  /** Seconds after the date in the (only) field when a document is removed. */
  expireAfterSeconds?: number;
  /** Per field: some document has an array on that path. Never reset to false. */
  multikey: boolean[];
  /** Some key was truncated, so the order of long values is lost. Never reset to false. */
  shortened: boolean;
  /** During a build: the index covers records up to this id. Null when complete. */
  builtTo: number | null;
}

const refuse = (message: string): ServerError => new ServerError('CannotCreateIndex', message);

const KNOWN = new Set(
  (
    'v key name ns unique sparse partialFilterExpression expireAfterSeconds hidden background collation clustered ' +
    'storageEngine dropDups'
  ).split(' '),
);
const UNSUPPORTED = new Set(
  (
    'weights default_language language_override textIndexVersion 2dsphereIndexVersion bits min max bucketSize ' +
    'wildcardProjection prepareUnique columnstoreProjection'
  ).split(' '),
);

/**
 * Checks the definition of an index and completes it the way listIndexes shows it.
 * @throws ServerError 67 (CannotCreateIndex), 197 for unknown options, 14 for wrong types
 */
export function checkIndexSpec(given: Doc): Doc {
  for (const name of given.keys()) {
    if (UNSUPPORTED.has(name)) throw refuse(`index option is not supported: ${name}`);
    if (!KNOWN.has(name)) throw new ServerError(197, `unknown index option: ${name}`);
  }
  const key = given.get('key');
  if (!isDoc(key)) throw new ServerError('FailedToParse', 'an index needs a key document');
  checkKeyPattern(key);
  const name = given.get('name');
  if (typeof name !== 'string') throw new ServerError('FailedToParse', 'an index needs a name');
  if (name === '' || name === '*' || Buffer.byteLength(name) > MAX_NAME_BYTES) throw refuse(`bad index name: ${name}`);
  checkOptions(given, key);
  const spec: Doc = new Map<string, Value>([
    ['v', 2],
    ['key', key],
    ['name', name],
  ]);
  for (const option of ['unique', 'sparse', 'hidden']) if (truthy(given.get(option))) spec.set(option, true);
  for (const option of ['partialFilterExpression', 'expireAfterSeconds']) {
    const value = given.get(option);
    if (value !== undefined) spec.set(option, value);
  }
  return spec;
}

function checkKeyPattern(key: Doc): void {
  if (key.size === 0) throw refuse('index keys cannot be empty');
  if (key.size > MAX_FIELDS) throw new ServerError(13103, `an index has at most ${MAX_FIELDS} fields`);
  for (const [path, direction] of key) {
    if (typeof direction === 'string') throw refuse(`index type is not supported: ${direction}`);
    if (!isNumeric(direction)) throw refuse('values in an index key must be numbers');
    const number = toDouble(direction);
    if (number === 0 || Number.isNaN(number)) throw refuse('values in an index key cannot be 0 or NaN');
    if (path === '$**' || path.endsWith('.$**')) throw refuse('wildcard indexes are not supported');
    const parts = path.split('.');
    if (parts.includes('')) throw refuse('index keys cannot contain an empty field');
    if (parts.some((part) => part.startsWith('$')))
      throw refuse('index keys cannot contain a field that starts with $');
  }
}

function checkOptions(given: Doc, key: Doc): void {
  for (const option of ['unique', 'sparse', 'hidden', 'background']) {
    const value = given.get(option);
    if (value !== undefined && value !== null && typeof value !== 'boolean' && !isNumeric(value))
      throw new ServerError('TypeMismatch', `index option ${option} must be a boolean`);
  }
  const collation = given.get('collation');
  if (isDoc(collation) && collation.get('locale') !== 'simple')
    throw refuse('only the simple collation is supported in indexes');
  if (truthy(given.get('clustered'))) throw refuse('clustered indexes are not supported');
  checkExpiry(given.get('expireAfterSeconds'), key);
  checkPartial(given, key);
}

function checkExpiry(seconds: Maybe, key: Doc): void {
  if (seconds === undefined) return;
  if (!isNumeric(seconds)) throw new ServerError('TypeMismatch', 'expireAfterSeconds must be a number');
  const number = toDouble(seconds);
  if (!(number >= 0 && number <= 2 ** 31 - 1))
    throw refuse('expireAfterSeconds must be within an int32 and not negative');
  if (key.size > 1) throw refuse('TTL indexes have one field');
  if (key.has('_id')) throw new ServerError(197, 'the _id index cannot expire');
}

function checkPartial(given: Doc, key: Doc): void {
  const filter = given.get('partialFilterExpression');
  if (filter === undefined) return;
  if (!isDoc(filter)) throw new ServerError('TypeMismatch', 'partialFilterExpression must be a document');
  if (truthy(given.get('sparse'))) throw refuse('an index cannot be both partial and sparse');
  if (key.size === 1 && key.has('_id')) throw new ServerError(197, '_id index cannot be a partial index');
  checkPartialOperators(filter);
  compileFilter(filter);
}

const PARTIAL_OPERATORS = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$in', '$type', '$exists', '$and', '$or']);

function checkPartialOperators(filter: Doc): void {
  for (const [name, value] of filter) {
    if (name.startsWith('$') && !PARTIAL_OPERATORS.has(name))
      throw refuse(`unsupported expression in partial index: ${name}`);
    if (name === '$exists' && !truthy(value)) throw refuse('unsupported expression in partial index: $exists: false');
    if (name === '$and' || name === '$or') {
      for (const branch of Array.isArray(value) ? value : []) if (isDoc(branch)) checkPartialOperators(branch);
    } else if (!name.startsWith('$') && isDoc(value) && [...value.keys()][0]?.startsWith('$'))
      checkPartialOperators(value);
  }
}

/** The fields that a partial filter names; `$and` and `$or` are its only operators with filters inside. */
const pathsOf = (filter: Doc): string[] =>
  [...filter].flatMap(([name, value]) =>
    name.startsWith('$') && Array.isArray(value) ? value.filter(isDoc).flatMap(pathsOf) : [name],
  );

const truthy = (value: Maybe): boolean =>
  value === true || (value !== undefined && isNumeric(value) && toDouble(value) !== 0);

/** The in-memory form of a checked definition. */
export function indexOf(id: number, spec: Doc): Index {
  const key = spec.get('key') as Doc;
  const fields = [...key].map(([path, direction]) => ({
    path,
    raw: rawPath(path),
    descending: isNumeric(direction) && toDouble(direction) < 0,
  }));
  const filter = spec.get('partialFilterExpression');
  const expiry = spec.get('expireAfterSeconds');
  const paths = [...key.keys(), ...(isDoc(filter) ? pathsOf(filter) : [])];
  return {
    id,
    name: spec.get('name') as string,
    spec,
    fields,
    roots: [...new Set(paths.map((path) => path.split('.', 1)[0] as string))],
    fieldLimit: Math.floor(KEY_BYTES / fields.length),
    unique: spec.get('unique') === true || isIdPattern(key),
    sparse: spec.get('sparse') === true,
    partial: isDoc(filter) ? { filter, conditions: sharedConditions(filter) } : undefined,
    hidden: spec.get('hidden') === true,
    expireAfterSeconds: expiry !== undefined && isNumeric(expiry) ? toDouble(expiry) : undefined,
    multikey: fields.map(() => false),
    shortened: false,
    builtTo: null,
  };
}

/** True for {_id: 1}, the index that every collection has. */
export const isIdPattern = (key: Doc): boolean =>
  key.size === 1 && isNumeric(key.get('_id')) && toDouble(key.get('_id') as number) > 0;

export const ID_INDEX: Doc = new Map<string, Value>([
  ['v', 2],
  ['key', new Map([['_id', 1]])],
  ['name', '_id_'],
]);
