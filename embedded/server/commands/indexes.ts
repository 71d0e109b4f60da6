import { equals } from '../../bson/compare';
import { ServerError } from '../../bson/error';
import { type Doc, isDoc, type Value } from '../../bson/value';
import type { Collection } from '../../store/collection';
import { buildIndex } from '../../store/index-build';
import { checkIndexSpec, type Index, isIdPattern } from '../../store/index-spec';
import { DocumentStream } from '../../store/result-stream';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { namespaceOf } from '../context';
import { ok, type Reply } from '../reply';
import { ensureCollection } from '../statements';
import { findIndex, samePattern } from './coll-mod';
import { existing } from './collections';
import { firstReply } from './find';

const MAX_INDEXES = 64;

function* createIndexes(context: Context): Task<Reply> {
  const { command, store, db } = context;
  const given = command.docs('indexes');
  if (given === undefined || given.length === 0)
    throw new ServerError('BadValue', 'Must specify at least one index to create');
  const specs = given.map(checkIndexSpec);
  const name = command.string('createIndexes');
  const created = store.catalog.find(db, name) === undefined;
  const collection = ensureCollection({ store, db, name });
  const before = collection.indexes.length;
  for (const spec of specs) {
    // Looked up again for each: an earlier build may have yielded to other commands.
    if (isPresent(collection, spec)) continue;
    if (collection.indexes.length >= MAX_INDEXES)
      throw new ServerError('CannotCreateIndex', `too many indexes for ${db}.${name}`);
    yield* buildIndex(store, collection, spec);
  }
  const after = collection.indexes.length;
  return ok({
    numIndexesBefore: before,
    numIndexesAfter: after,
    createdCollectionAutomatically: created,
    note: after === before ? 'all indexes already exist' : undefined,
  });
}

/**
 * True when this very index exists.
 * @throws ServerError 85 (same fields, other options or name), 86 (same name, other fields)
 */
function isPresent(collection: Collection, spec: Doc): boolean {
  const key = spec.get('key') as Doc;
  if (isIdPattern(key)) return true;
  const named = collection.indexes.find((index) => index.name === spec.get('name'));
  const twin = collection.indexes.find((index) => samePattern(index, key) && sameDocuments(index.spec, spec));
  if (named !== undefined && named !== twin)
    throw new ServerError(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index. Requested index: ${named.name}`,
    );
  if (twin === undefined) return false;
  if (!sameOptions(twin.spec, spec)) {
    const code = named === undefined ? 'IndexOptionsConflict' : 'IndexKeySpecsConflict';
    throw new ServerError(
      code,
      `An equivalent index already exists with a different name or options. Requested index: ${String(spec.get('name'))}, existing: ${twin.name}`,
    );
  }
  if (named === undefined)
    throw new ServerError('IndexOptionsConflict', `Index already exists with a different name: ${twin.name}`);
  return true;
}

/** Indexes on the same fields differ when they cover different documents. */
const sameDocuments = (a: Doc, b: Doc): boolean =>
  same(a, b, 'partialFilterExpression') && same(a, b, 'unique') && same(a, b, 'sparse');

const sameOptions = (a: Doc, b: Doc): boolean =>
  ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression'].every((option) => same(a, b, option));

function same(a: Doc, b: Doc, option: string): boolean {
  const [left, right] = [a.get(option), b.get(option)];
  return left === undefined || right === undefined ? left === right : equals(left, right);
}

function* listIndexes(context: Context): Task<Reply> {
  const collection = existing(context);
  const ready = collection.indexes.filter(({ builtTo }) => builtTo === null);
  const batchSize = context.command.doc('cursor')?.get('batchSize');
  return yield* firstReply(context, new DocumentStream(ready.map(({ spec }) => spec)), namespaceOf(context), {
    batchSize: typeof batchSize === 'number' ? batchSize : undefined,
  });
}

function* dropIndexes(context: Context): Task<Reply> {
  const { command, store } = context;
  const collection = existing(context);
  const before = collection.indexes.length;
  const wanted = command.value('index');
  if (wanted === undefined)
    throw new ServerError(40414, "BSON field 'dropIndexes.index' is missing but a required field");
  for (const index of chosen(collection, wanted)) store.catalog.dropIndex(collection, index);
  store.collectGarbage();
  return ok({ nIndexesWas: before });
}

function chosen(collection: Collection, wanted: Value): Index[] {
  if (wanted === '*') return collection.indexes.slice(1);
  return (Array.isArray(wanted) ? wanted : [wanted]).map((each) => {
    if (typeof each !== 'string' && !isDoc(each))
      throw new ServerError('TypeMismatch', 'index must be a name or a key pattern');
    const index = findIndex(collection, each);
    if (index === undefined)
      throw new ServerError(
        'IndexNotFound',
        `index not found with name [${typeof each === 'string' ? each : [...each.keys()].join('_')}]`,
      );
    if (index === collection.indexes[0]) throw new ServerError('InvalidOptions', 'cannot drop _id index');
    return index;
  });
}

export const INDEXES: CommandTable = {
  createIndexes: {
    kind: 'write',
    fields: new Set(['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions', 'v', 'returnOnStart']),
    run: createIndexes,
  },
  listIndexes: {
    kind: 'read',
    fields: new Set(['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo']),
    run: listIndexes,
  },
  dropIndexes: { kind: 'write', fields: new Set(['index']), removes: () => true, run: dropIndexes },
  deleteIndexes: { kind: 'write', fields: new Set(['index']), removes: () => true, run: dropIndexes },
};
