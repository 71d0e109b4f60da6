import type { AnyClientBulkWriteModel, ClientBulkWriteResult, MongoClient } from 'mongodb';
import type { Document } from 'bson';

type ClientOperation = (client: MongoClient, args: Document) => unknown;

const toModel = (model: Document): AnyClientBulkWriteModel<Document> => {
  const [name, fields] = Object.entries(model)[0] as [string, Document];
  return { name, ...fields } as AnyClientBulkWriteModel<Document>;
};

const plain = (
  results: ReadonlyMap<number, Document> | undefined,
  shape = (one: Document): Document => one,
): Document | undefined => results && Object.fromEntries([...results].map(([index, one]) => [index, shape(one)]));

const withoutDidUpsert = (counts: Document): Document =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => name !== 'didUpsert'));

/** A client bulk write's result with its maps as plain documents, without what the driver adds to the specification. */
export const clientBulkWriteResult = (result: ClientBulkWriteResult): Document => ({
  ...result,
  insertResults: plain(result.insertResults),
  updateResults: plain(result.updateResults, withoutDidUpsert),
  deleteResults: plain(result.deleteResults),
});

/** Operations on a client. */
export const CLIENT_OPERATIONS: Record<string, ClientOperation> = {
  clientBulkWrite: async (client, { models, ...options }) =>
    clientBulkWriteResult(await client.bulkWrite(models.map(toModel), options)),
};
