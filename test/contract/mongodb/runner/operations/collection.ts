import type { Document } from 'bson';
import type { BulkWriteResult, Collection } from 'mongodb';

type CollectionOperation = (collection: Collection, args: Document) => unknown;

/** The counters of a bulk write; they are getters, so they do not show as own members. */
export const bulkWriteCounts = (result: BulkWriteResult): Document => ({
  insertedCount: result.insertedCount,
  insertedIds: result.insertedIds,
  matchedCount: result.matchedCount,
  modifiedCount: result.modifiedCount,
  deletedCount: result.deletedCount,
  upsertedCount: result.upsertedCount,
  upsertedIds: result.upsertedIds,
});

/** An update's result in the form of the specification; the driver returns null for "nothing was upserted". */
const updateResult = ({ upsertedId, ...counts }: Document): Document =>
  upsertedId === null ? counts : { ...counts, upsertedId };

/** Operations on a collection, by the names of the CRUD, index and search index specifications. */
export const COLLECTION_OPERATIONS: Record<string, CollectionOperation> = {
  aggregate: (c, { pipeline, ...options }) => c.aggregate(pipeline, options).toArray(),
  bulkWrite: async (c, { requests, ...options }) => bulkWriteCounts(await c.bulkWrite(requests, options)),
  count: (c, { filter, ...options }) => c.count(filter, options),
  countDocuments: (c, { filter, ...options }) => c.countDocuments(filter, options),
  createIndex: (c, { keys, ...options }) => c.createIndex(keys, options),
  createSearchIndex: (c, { model }) => c.createSearchIndex(model),
  createSearchIndexes: (c, { models }) => c.createSearchIndexes(models),
  deleteMany: (c, { filter, ...options }) => c.deleteMany(filter, options),
  deleteOne: (c, { filter, ...options }) => c.deleteOne(filter, options),
  distinct: (c, { fieldName, filter, ...options }) => c.distinct(fieldName, filter, options),
  dropIndex: (c, { name, ...options }) => c.dropIndex(name, options),
  dropSearchIndex: (c, { name }) => c.dropSearchIndex(name),
  estimatedDocumentCount: (c, options) => c.estimatedDocumentCount(options),
  find: (c, { filter, ...options }) => c.find(filter, options).toArray(),
  findOne: (c, { filter, ...options }) => c.findOne(filter, options),
  findOneAndDelete: (c, { filter, ...options }) => c.findOneAndDelete(filter, options),
  findOneAndReplace: (c, { filter, replacement, ...options }) =>
    c.findOneAndReplace(filter, replacement, returning(options)),
  findOneAndUpdate: (c, { filter, update, ...options }) => c.findOneAndUpdate(filter, update, returning(options)),
  insertMany: (c, { documents, ...options }) => c.insertMany(documents, options),
  insertOne: (c, { document, ...options }) => c.insertOne(document, options),
  listIndexes: (c, options) => c.listIndexes(options).toArray(),
  listSearchIndexes: (c, { name, aggregationOptions }) =>
    (name === undefined
      ? c.listSearchIndexes(aggregationOptions)
      : c.listSearchIndexes(name, aggregationOptions)
    ).toArray(),
  replaceOne: async (c, { filter, replacement, ...options }) =>
    updateResult(await c.replaceOne(filter, replacement, options)),
  updateMany: async (c, { filter, update, ...options }) => updateResult(await c.updateMany(filter, update, options)),
  updateOne: async (c, { filter, update, ...options }) => updateResult(await c.updateOne(filter, update, options)),
  updateSearchIndex: (c, { name, definition }) => c.updateSearchIndex(name, definition),
};

const returning = ({ returnDocument, ...options }: Document): Document =>
  returnDocument === undefined ? options : { ...options, returnDocument: returnDocument.toLowerCase() };
