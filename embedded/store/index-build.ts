import { ServerError } from '../bson/error';
import type { Doc } from '../bson/value';
import type { Catalog } from './catalog';
import type { Collection } from './collection';
import type { Environment } from './environment';
import { first } from './first';
import type { Index } from './index-spec';
import type { Records } from './records';
import type { StoredDocument } from './tables';
import type { Task } from './task';

/** Documents per slice. */
const CHUNK = 200;

interface IndexBuildDeps {
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly records: Records;
}

/**
 * Builds an index in the background, in record order; each slice stores its progress in its transaction. Writers
 * maintain the built part (R2), and the planner ignores the index until the end. After a crash the next start removes
 * the unfinished index, whose creation was never acknowledged.
 * @throws ServerError 11000 for duplicates, after removing the built part
 */
export function* buildIndex({ env, catalog, records }: IndexBuildDeps, collection: Collection, spec: Doc): Task<Index> {
  const index = catalog.addIndex(collection, spec);
  index.builtTo = 0;
  catalog.save(collection);
  for (;;) {
    if (catalog.get(collection.id) !== collection || !collection.indexes.includes(index))
      throw new ServerError(276, `the build of index ${index.name} was aborted`);
    const chunk: StoredDocument[] = first(CHUNK, env.documents.rows(collection.id, { last: index.builtTo ?? 0 }));
    try {
      for (const { recordId, bytes } of chunk) {
        records.addToIndex(collection, index, recordId, bytes);
        index.builtTo = recordId;
      }
    } catch (error) {
      catalog.dropIndex(collection, index);
      throw error;
    }
    if (chunk.length < CHUNK) break;
    catalog.save(collection);
    yield;
  }
  index.builtTo = null;
  catalog.save(collection);
  return index;
}

/** Removes builds that a crash interrupted. */
export function dropUnfinished(catalog: Catalog): void {
  for (const collection of [...catalog.all()])
    for (const index of collection.indexes) if (index.builtTo !== null) catalog.dropIndex(collection, index);
}
