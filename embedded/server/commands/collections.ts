import { equals } from '../../bson/compare';
import { ServerError } from '../../bson/error';
import { type Doc, double, isDoc } from '../../bson/value';
import { compileFilter } from '../../query/matcher';
import type { Collection } from '../../store/collection';
import { checkNamespace } from '../../store/namespace';
import { DocumentStream } from '../../store/result-stream';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { namedCollection, namespaceOf } from '../context';
import { members, ok, type Reply } from '../reply';
import { firstReply } from './find';

const notFound = (namespace: string): ServerError =>
  new ServerError('NamespaceNotFound', `ns does not exist: ${namespace}`);

/** @throws ServerError 26 when the collection does not exist */
export function existing(context: Context): Collection {
  const collection = namedCollection(context);
  if (collection === undefined) throw notFound(namespaceOf(context));
  return collection;
}

/** MongoDB's options of `create` that are not supported: rejected by name instead of ignored. */
const REFUSED_OPTIONS = [
  'timeseries',
  'viewOn',
  'pipeline',
  'clusteredIndex',
  'expireAfterSeconds',
  'encryptedFields',
  'changeStreamPreAndPostImages',
];
export const KEPT_OPTIONS = ['validator', 'validationLevel', 'validationAction'];
const CREATE_FIELDS = new Set([
  ...REFUSED_OPTIONS,
  ...KEPT_OPTIONS,
  'capped',
  'size',
  'max',
  'autoIndexId',
  'idIndex',
  'storageEngine',
  'indexOptionDefaults',
  'collation',
  'temp',
  'flags',
]);

function* create(context: Context): Task<Reply> {
  const { command, store, db } = context;
  const name = command.string('create');
  checkNamespace(db, name);
  for (const option of REFUSED_OPTIONS) {
    const value = command.value(option);
    if (value !== undefined && value !== false) throw refusedOption(option);
  }
  if (command.boolean('capped')) throw refusedOption('capped');
  const options: Doc = new Map();
  for (const option of KEPT_OPTIONS) {
    const value = command.value(option);
    if (value !== undefined) options.set(option, value);
  }
  checkValidatorOptions(options);
  const present = store.catalog.find(db, name);
  // Creating an existing collection with the same options succeeds, as in MongoDB.
  if (present !== undefined && sameOptions(present.options, options)) return ok();
  store.catalog.create(db, name, options);
  return ok();
}

export const refusedOption = (option: string): ServerError =>
  new ServerError('InvalidOptions', `collection option is not supported: ${option}`);

export function checkValidatorOptions(options: Doc): void {
  const validator = options.get('validator');
  if (validator !== undefined) {
    if (!isDoc(validator)) throw new ServerError('TypeMismatch', 'validator must be a document');
    compileFilter(validator);
  }
  oneOf(options, 'validationLevel', ['off', 'strict', 'moderate']);
  oneOf(options, 'validationAction', ['error', 'warn']);
}

function oneOf(options: Doc, name: string, allowed: readonly string[]): void {
  const value = options.get(name);
  if (value !== undefined && !allowed.includes(value as string))
    throw new ServerError('BadValue', `Enumeration value '${String(value)}' for field '${name}' is not a valid value.`);
}

const sameOptions = (a: Doc, b: Doc): boolean => equals(a, b);

function* drop(context: Context): Task<Reply> {
  const { store } = context;
  const collection = namedCollection(context);
  const namespace = namespaceOf(context);
  // Dropping a missing collection succeeds, as since MongoDB 7.0.
  if (collection === undefined) return ok();
  const nIndexesWas = collection.indexes.length;
  dropCollection(context, collection);
  store.collectGarbage();
  return ok({ nIndexesWas, ns: namespace });
}

function dropCollection({ store }: Pick<Context, 'store'>, collection: Collection): void {
  store.catalog.drop(collection);
  store.cursors.closeNamespace(`${collection.db}.${collection.name}`);
}

function* dropDatabase(context: Context): Task<Reply> {
  const { store, db } = context;
  const collections = store.catalog.collections(db);
  for (const collection of collections) dropCollection(context, collection);
  store.collectGarbage();
  return ok({ dropped: collections.length > 0 ? db : undefined });
}

const splitNamespace = (namespace: string): [string, string] => {
  const dot = namespace.indexOf('.');
  if (dot <= 0) throw new ServerError('InvalidNamespace', `Invalid namespace specified '${namespace}'`);
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
};

function* renameCollection(context: Context): Task<Reply> {
  const { command, store } = context;
  const [fromDb, fromName] = splitNamespace(command.string('renameCollection'));
  const [toDb, toName] = splitNamespace(command.string('to'));
  const source = store.catalog.find(fromDb, fromName);
  if (source === undefined)
    throw new ServerError('NamespaceNotFound', `Source collection ${fromDb}.${fromName} does not exist`);
  const target = store.catalog.find(toDb, toName);
  if (target === source) throw new ServerError('IllegalOperation', "Can't rename a collection to itself");
  checkNamespace(toDb, toName);
  if (target !== undefined) {
    if (!command.boolean('dropTarget')) throw new ServerError('NamespaceExists', 'target namespace exists');
    dropCollection(context, target);
  }
  store.cursors.closeNamespace(`${fromDb}.${fromName}`);
  store.catalog.rename(source, toDb, toName);
  store.collectGarbage();
  return ok();
}

function* listCollections(context: Context): Task<Reply> {
  const { command, store, db } = context;
  const matches = compileFilter(command.doc('filter') ?? new Map());
  const nameOnly = command.boolean('nameOnly');
  const documents = store.catalog
    .collections(db)
    .map((collection) => describe(collection, nameOnly))
    .filter(matches);
  const cursor = command.doc('cursor');
  const batchSize = cursor?.get('batchSize');
  return yield* firstReply(context, new DocumentStream(documents), `${db}.$cmd.listCollections`, {
    batchSize: typeof batchSize === 'number' ? batchSize : documents.length + 1,
  });
}

function describe({ name, options, uuid, indexes }: Collection, nameOnly: boolean): Doc {
  if (nameOnly) return members({ name, type: 'collection' });
  const idIndex = indexes[0]?.spec;
  return members({ name, type: 'collection', options, info: members({ readOnly: false, uuid }), idIndex });
}

function* listDatabases({ command, store }: Context): Task<Reply> {
  const matches = compileFilter(command.doc('filter') ?? new Map());
  const nameOnly = command.boolean('nameOnly');
  const databases = store.catalog
    .databaseNames()
    .map((name) => {
      const size = store.catalog.collections(name).reduce((sum, { bytes }) => sum + bytes, 0);
      return nameOnly ? members({ name }) : members({ name, sizeOnDisk: double(size), empty: false });
    })
    .filter(matches);
  const total = [...store.catalog.all()].reduce((sum, { bytes }) => sum + bytes, 0);
  return nameOnly
    ? ok({ databases })
    : ok({ databases, totalSize: double(total), totalSizeMb: double(Math.floor(total / 2 ** 20)) });
}

export const COLLECTIONS: CommandTable = {
  create: { kind: 'write', fields: CREATE_FIELDS, run: create },
  drop: { kind: 'write', removes: () => true, run: drop },
  dropDatabase: { kind: 'write', removes: () => true, run: dropDatabase },
  renameCollection: { kind: 'write', adminOnly: true, run: renameCollection },
  listCollections: { kind: 'read', run: listCollections },
  listDatabases: { kind: 'read', adminOnly: true, run: listDatabases },
};
