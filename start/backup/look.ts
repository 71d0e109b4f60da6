import { MongoClient } from 'mongodb';
import { checkStoreFile, openStore } from '../../embedded';
import { MASTER_RECORDS } from '../../mixins/keys/master';
import { join } from 'node:path';
import { DATA, type Manifest } from './manifest';

/** Longest delay of a timer. */
const NEVER_MS = 2 ** 31 - 1;

/** What a store holds. */
export type Contents = Pick<Manifest, 'collections' | 'master_key_id'>;

/**
 * Looks at everything in the store of a folder that nobody serves: every page, every document, every entry of an index.
 * @throws Error naming what is damaged
 */
export async function lookThrough(dir: string): Promise<Contents> {
  checkStoreFile(join(dir, DATA));
  // What has expired meanwhile is still what was backed up.
  const store = await openStore({ dir, ttlSweepMs: NEVER_MS });
  const client = new MongoClient(store.url);
  try {
    const db = client.db();
    const collections: Record<string, number> = {};
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const { valid, errors } = (await db.command({ validate: name })) as { valid: boolean; errors?: string[] };
      if (!valid) throw new Error(`the collection ${name} is damaged: ${errors?.[0]}`);
      collections[name] = await db.collection(name).countDocuments();
    }
    const record = await db
      .collection<{ _id: string; keys: { id: string }[] }>(MASTER_RECORDS)
      .findOne({ _id: 'master' });
    return { collections, master_key_id: record?.keys.at(-1)?.id ?? null };
  } finally {
    await client.close();
    await store.close();
  }
}
