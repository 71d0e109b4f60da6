import { ServerError } from '../../bson/error';
import { double, isDoc, type Doc, type Maybe } from '../../bson/value';
import { hostname } from 'node:os';
import type { Collection } from '../../store/collection';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { members, ok, type Reply } from '../reply';
import { verifyCollection } from '../../store/verify';
import { existing } from './collections';
import { namedCollection, namespaceOf } from '../context';
import { VERSION } from './handshake';

const average = (collection: Collection): number =>
  collection.count === 0 ? 0 : Math.floor(collection.bytes / collection.count);

/** Result of `collStats` and `$collStats: {storageStats: {}}`. Sizes are those of the documents, in bytes. */
function storageStats(collection: Collection | undefined): Record<string, Doc | number | boolean> {
  if (collection === undefined)
    return { size: 0, count: 0, storageSize: 0, nindexes: 0, totalIndexSize: 0, capped: false };
  return {
    size: collection.bytes,
    count: collection.count,
    avgObjSize: average(collection),
    storageSize: collection.bytes,
    capped: false,
    nindexes: collection.indexes.length,
    indexSizes: members(Object.fromEntries(collection.indexes.map(({ name }) => [name, 0]))),
    totalIndexSize: 0,
  };
}

/** The document of the stage `$collStats`. @throws ServerError for unsupported parts */
export function collectionStats({ db, command }: Context, collection: Collection | undefined, spec: Maybe): Doc {
  if (!isDoc(spec)) throw new ServerError(40166, '$collStats must take a nested object');
  const document = members({ ns: `${db}.${command.string('aggregate')}`, host: hostname(), localTime: new Date() });
  for (const part of spec.keys()) {
    if (part === 'count') document.set('count', collection?.count ?? 0);
    else if (part === 'storageStats') document.set('storageStats', members(storageStats(collection)));
    else throw new ServerError(40168, `$collStats part is not supported: ${part}`);
  }
  return document;
}

function dbStats({ store, db }: Context): Reply {
  const collections = store.catalog.collections(db);
  const sum = (of: (collection: Collection) => number): number =>
    collections.reduce((total, each) => total + of(each), 0);
  const dataSize = sum(({ bytes }) => bytes);
  const objects = sum(({ count }) => count);
  return ok({
    db,
    collections: collections.length,
    views: 0,
    objects,
    avgObjSize: double(objects === 0 ? 0 : dataSize / objects),
    dataSize: double(dataSize),
    storageSize: double(dataSize),
    indexes: sum(({ indexes }) => indexes.length),
    indexSize: double(0),
    totalSize: double(dataSize),
    fsUsedSize: double(store.env.sizes().used),
  });
}

function serverStatus({ server, store }: Context): Reply {
  const { rss } = process.memoryUsage();
  return ok({
    host: hostname(),
    version: VERSION,
    process: 'embedded',
    pid: BigInt(process.pid),
    uptime: double((Date.now() - server.startedAtMs) / 1000),
    localTime: new Date(),
    connections: members({ current: server.counters.connections, totalCreated: server.counters.totalConnections }),
    mem: members({ bits: 64, resident: Math.round(rss / 2 ** 20) }),
    metrics: members({
      commands: BigInt(server.counters.commands),
      cursor: members({ open: members({ total: BigInt(store.cursors.size) }) }),
    }),
    storageEngine: members({ name: 'sqlite', persistent: true }),
  });
}

/** Reads every document and every index entry and compares the two. */
function* validate(context: Context): Task<Reply> {
  const collection = existing(context);
  const { errors, records, invalid, keys } = yield* verifyCollection(context.store, collection, context.reader);
  return ok({
    ns: namespaceOf(context),
    nInvalidDocuments: invalid,
    nrecords: records,
    nIndexes: collection.indexes.length,
    keysPerIndex: members(Object.fromEntries(keys)),
    valid: errors.length === 0,
    repaired: false,
    warnings: [],
    errors: [...errors],
  });
}

export const STATS: CommandTable = {
  collStats: {
    kind: 'instant',
    run: (context) => ok({ ns: namespaceOf(context), ...storageStats(namedCollection(context)) }),
  },
  dbStats: { kind: 'instant', run: dbStats },
  dbstats: { kind: 'instant', run: dbStats },
  serverStatus: { kind: 'instant', run: serverStatus },
  validate: { kind: 'read', run: validate },
};
