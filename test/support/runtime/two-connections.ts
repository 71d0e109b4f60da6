import { MongoClient } from 'mongodb';
import { type Collections, openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { openTestDatabase } from '../app';

/** Two connections to one database, as of two processes. */
interface TwoConnections {
  readonly first: Collections;
  readonly second: Collections;
  close(): Promise<void>;
}

/** Opens a database of its own with the indexes of runs. */
export async function openTwoConnections(): Promise<TwoConnections> {
  const database = await openTestDatabase();
  const connect = () => MongoClient.connect(database.url);
  const clients = [await connect(), await connect()] as const;
  const [first, second] = clients.map((client) => openCollections(client.db(database.name)));
  await ensureIndexes(first as Collections);
  return {
    first: first as Collections,
    second: second as Collections,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await database.close();
    },
  };
}
