import type { Migration } from '../step';

/** Indexes that versions before this one made, by their collections. They draw questions to themselves, and cost every write. */
const EARLIER: readonly (readonly [string, string])[] = [['workflows', 'deleted_at_1']];

/** As long as a process of before starts, it would make them again. */
export const earlierIndexes: Migration = {
  number: 2,
  name: 'indexes of earlier versions are dropped',
  kind: 'contract',
  async run({ db }) {
    for (const [name, index] of EARLIER) {
      const collection = db.collection(name);
      const known = await collection.indexes().catch((fault: unknown) => {
        // NamespaceNotFound: the collection does not exist yet.
        if ((fault as { code?: unknown }).code === 26) return [];
        throw fault;
      });
      if (known.some((each) => each.name === index)) await collection.dropIndex(index);
    }
  },
};
