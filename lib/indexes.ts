import type { IndexDescription } from 'mongodb';

/** The used part of a model of mongoose. */
interface IndexedModel {
  readonly schema: { indexes(): readonly (readonly [unknown, object])[] };
  readonly collection: { createIndexes(indexes: IndexDescription[]): Promise<unknown> };
}

/**
 * Creates the indexes of models; idempotent. One command for each collection: mongoose sends one for each index, one
 * after the other, and one that creates the collection, which is 150 commands in every start.
 */
export async function createIndexes(...models: readonly IndexedModel[]): Promise<void> {
  await Promise.all(models.map((model) => model.collection.createIndexes(model.schema.indexes().map(descriptionOf))));
}

function descriptionOf([key, options]: readonly [unknown, object]): IndexDescription {
  // `background` is mongoose's default and an option of servers that are out of use.
  const { background: _, ...rest } = options as IndexDescription;
  return { ...rest, key: key as IndexDescription['key'] };
}
