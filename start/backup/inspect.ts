import { MongoClient } from 'mongodb';
import { checkStoreFile, openStore } from '../../embedded';
import { MASTER_RECORDS } from '../../lib/master-key-record';
import { join } from 'node:path';
import { DATA, type Manifest } from './manifest';

/** Maximum delay of a timer. */
const NEVER_MS = 2 ** 31 - 1;

/** Contents of a store. */
export type Contents = Pick<Manifest, 'collections' | 'master_key_id'>;

/**
 * Reads the whole store in a folder that no process serves: every page, document and index entry.
 * @throws Error naming the damage
 */
export async function inspectStore(dir: string): Promise<Contents> {
  checkStoreFile(join(dir, DATA));
  // Documents that have expired since the backup must still be counted.
  const store = await openStore({ dir, ttlIntervalMs: NEVER_MS });
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
