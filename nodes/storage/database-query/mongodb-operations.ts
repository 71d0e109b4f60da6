import type { Db, Document } from 'mongodb';
import type { Json, JsonObject } from '../../../lib/json';
import type { Answer } from './contract';
import { fromBson, plainOf, toBson } from './mongodb-values';
import { Rows } from './rows';

interface Place {
  /** Undefined for that of the URL. */
  readonly database?: string;
  readonly collection: string;
}

interface Selection extends Place {
  readonly filter: JsonObject;
  readonly maxRows: number;
}

/** One operation of MongoDB. */
export type MongoQuery =
  | (Selection & { kind: 'find'; projection?: JsonObject; sort?: JsonObject; skip?: number })
  | (Place & { kind: 'aggregate'; pipeline: readonly JsonObject[]; maxRows: number })
  | (Selection & { kind: 'distinct'; field: string })
  | (Place & { kind: 'count'; filter: JsonObject })
  | (Place & { kind: 'insert'; documents: readonly JsonObject[] })
  | (Place & { kind: 'update'; filter: JsonObject; update: JsonObject | JsonObject[]; many: boolean; upsert: boolean })
  | (Place & { kind: 'delete'; filter: JsonObject; many: boolean });

/** Stages that write what comes out into a collection. */
const WRITING_STAGES = ['$out', '$merge'];

/** Whether a pipeline writes. */
export const pipelineWrites = (pipeline: readonly unknown[]): boolean =>
  pipeline.some((stage) =>
    WRITING_STAGES.some((name) => typeof stage === 'object' && stage !== null && Object.hasOwn(stage, name)),
  );

/** Whether an operation changes something. */
export function changes(query: MongoQuery): boolean {
  if (query.kind === 'aggregate') return pipelineWrites(query.pipeline);
  return query.kind === 'insert' || query.kind === 'update' || query.kind === 'delete';
}

/** Asks, or changes. @throws MongoError */
export async function perform(db: Db, query: MongoQuery): Promise<Answer> {
  const collection = db.collection(query.collection);
  switch (query.kind) {
    case 'find': {
      const { filter, projection, sort, skip, maxRows } = query;
      const cursor = collection.find(toBson(filter), {
        projection: projection && toBson(projection),
        sort: sort && toBson(sort),
        skip,
        limit: maxRows + 1,
      });
      return collect(cursor, maxRows);
    }
    case 'aggregate':
      return collect(collection.aggregate(query.pipeline.map(toBson)), query.maxRows);
    case 'distinct': {
      const values = await collection.distinct(query.field, toBson(query.filter));
      return collect(
        values.map((value) => ({ value })),
        query.maxRows,
      );
    }
    case 'count':
      return {
        rows: [{ count: await collection.countDocuments(toBson(query.filter)) }],
        affected: null,
        truncated: false,
      };
    case 'insert': {
      const { insertedCount, insertedIds } = await collection.insertMany(query.documents.map(toBson));
      return changed(insertedCount, Object.values(insertedIds));
    }
    case 'update': {
      const { filter, update, many, upsert } = query;
      const change = Array.isArray(update) ? update.map(toBson) : toBson(update);
      const answer = many
        ? await collection.updateMany(toBson(filter), change, { upsert })
        : await collection.updateOne(toBson(filter), change, { upsert });
      return changed(
        answer.modifiedCount + answer.upsertedCount,
        answer.upsertedId === null ? [] : [answer.upsertedId],
      );
    }
    case 'delete': {
      const { deletedCount } = query.many
        ? await collection.deleteMany(toBson(query.filter))
        : await collection.deleteOne(toBson(query.filter));
      return changed(deletedCount, []);
    }
  }
}

const changed = (affected: number, ids: readonly unknown[]): Answer => ({
  rows: [],
  affected,
  truncated: false,
  ...(ids.length === 0 ? {} : { ids: ids.map(plainOf) satisfies Json[] }),
});

/** Leaving the loop closes a cursor. */
async function collect(documents: AsyncIterable<Document> | Iterable<Document>, maxRows: number): Promise<Answer> {
  const rows = new Rows(maxRows);
  for await (const document of documents) {
    rows.add(() => fromBson(document));
    if (rows.truncated) break;
  }
  return { rows: rows.list, affected: null, truncated: rows.truncated };
}
