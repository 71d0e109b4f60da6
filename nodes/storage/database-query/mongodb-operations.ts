import { type Document, ObjectId } from 'bson';
import { isObject, type JsonObject } from '../../../lib/json';
import { type QueryResult, DatabaseError } from './contract';
import { fromBson, plainOf, toBson } from './mongodb-values';
import { Rows } from './rows';

interface Target {
  /** Undefined for that of the URL. */
  readonly database?: string;
  readonly collection: string;
}

interface Selection extends Target {
  readonly filter: JsonObject;
  readonly maxRows: number;
}

/** One operation of MongoDB. */
export type MongoQuery =
  | (Selection & { kind: 'find'; projection?: JsonObject; sort?: JsonObject; skip?: number })
  | (Target & { kind: 'aggregate'; pipeline: readonly JsonObject[]; maxRows: number })
  | (Selection & { kind: 'distinct'; field: string })
  | (Target & { kind: 'count'; filter: JsonObject })
  | (Target & { kind: 'insert'; documents: readonly JsonObject[] })
  | (Target & { kind: 'update'; filter: JsonObject; update: JsonObject | JsonObject[]; many: boolean; upsert: boolean })
  | (Target & { kind: 'delete'; filter: JsonObject; many: boolean });

/** Puts a command to the database of the operation. @throws DatabaseError when it is refused, EgressError */
export type RunCommand = (command: Document) => Promise<Document>;

/** Stages that write their result to a collection. */
const WRITING_STAGES = ['$out', '$merge'];

/** True if a pipeline writes. */
export const pipelineWrites = (pipeline: readonly unknown[]): boolean =>
  pipeline.some((stage) => WRITING_STAGES.some((name) => isObject(stage) && Object.hasOwn(stage, name)));

/** True if an operation changes something. */
export function changes(query: MongoQuery): boolean {
  if (query.kind === 'aggregate') return pipelineWrites(query.pipeline);
  return query.kind === 'insert' || query.kind === 'update' || query.kind === 'delete';
}

/** Asks, or changes. The server ends by itself what takes longer than `timeoutMs`. @throws DatabaseError, EgressError */
export async function runQuery(run: RunCommand, query: MongoQuery, timeoutMs: number): Promise<QueryResult> {
  const { collection } = query;
  const ask: RunCommand = (command) => run({ ...command, maxTimeMS: Math.ceil(timeoutMs) });
  switch (query.kind) {
    case 'find': {
      const { filter, projection, sort, skip, maxRows } = query;
      const limit = maxRows + 1;
      const found = await ask({
        find: collection,
        filter: toBson(filter),
        projection: projection && toBson(projection),
        sort: sort && toBson(sort),
        skip,
        limit,
        batchSize: limit,
      });
      return collect(run, collection, found, maxRows);
    }
    case 'aggregate': {
      const { pipeline, maxRows } = query;
      const found = await ask({
        aggregate: collection,
        pipeline: pipeline.map(toBson),
        cursor: { batchSize: maxRows + 1 },
      });
      return collect(run, collection, found, maxRows);
    }
    case 'distinct': {
      const { values } = await ask({ distinct: collection, key: query.field, query: toBson(query.filter) });
      const rows = new Rows(query.maxRows);
      for (const value of listOf(values)) rows.add(() => ({ value: plainOf(value) }));
      return { rows: rows.list, affected: null, truncated: rows.truncated };
    }
    case 'count': {
      const pipeline = [{ $match: toBson(query.filter) }, { $group: { _id: null, count: { $sum: 1 } } }];
      const { cursor } = await ask({ aggregate: collection, pipeline, cursor: {} });
      const [counted] = listOf(isObject(cursor) ? cursor.firstBatch : null);
      return { rows: [{ count: isObject(counted) ? numberOf(counted.count) : 0 }], affected: null, truncated: false };
    }
    case 'insert': {
      const documents = query.documents.map((document) => withId(toBson(document)));
      const { n } = await ask({ insert: collection, documents, ordered: true });
      return changed(
        numberOf(n),
        documents.map((document) => document._id as unknown),
      );
    }
    case 'update': {
      const { filter, update, many, upsert } = query;
      const u = Array.isArray(update) ? update.map(toBson) : toBson(update);
      const reply = await ask({
        update: collection,
        updates: [{ q: toBson(filter), u, multi: many, upsert }],
        ordered: true,
      });
      const put = reply.upserted === undefined ? [] : listOf(reply.upserted);
      return changed(
        Number(reply.nModified) + put.length,
        put.map((one) => (isObject(one) ? one._id : null)),
      );
    }
    case 'delete': {
      const { filter, many } = query;
      const { n } = await ask({
        delete: collection,
        deletes: [{ q: toBson(filter), limit: many ? 0 : 1 }],
        ordered: true,
      });
      return changed(numberOf(n), []);
    }
  }
}

const withId = (document: Document): Document => ('_id' in document ? document : { _id: new ObjectId(), ...document });

const changed = (affected: number, ids: readonly unknown[]): QueryResult => ({
  rows: [],
  affected,
  truncated: false,
  ...(ids.length === 0 ? {} : { ids: ids.map(plainOf) }),
});

function numberOf(value: unknown): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new DatabaseError('protocol', 'the server gave no number where there must be one', null);
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw new DatabaseError('protocol', 'the server gave no list where there must be one', null);
}

/** All that a cursor has, up to `maxRows`. */
async function collect(ask: RunCommand, collection: string, found: Document, maxRows: number): Promise<QueryResult> {
  const rows = new Rows(maxRows);
  let { cursor } = found as { cursor?: unknown };
  for (let batch = 'firstBatch'; ; batch = 'nextBatch') {
    const { id, [batch]: documents } = isObject(cursor) ? cursor : {};
    for (const document of listOf(documents)) rows.add(() => fromBson(document as Document));
    if (String(id) === '0') break;
    if (rows.truncated) {
      // Otherwise it would be kept for ten minutes.
      await ask({ killCursors: collection, cursors: [id] });
      break;
    }
    ({ cursor } = await ask({ getMore: id, collection, batchSize: maxRows + 1 }));
  }
  return { rows: rows.list, affected: null, truncated: rows.truncated };
}
