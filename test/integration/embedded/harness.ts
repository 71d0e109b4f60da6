import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, type Document, MongoClient, type MongoClientOptions, type ObjectId } from 'mongodb';
import { type OpenedStore, type OpenStoreOptions, openStore } from '../../../embedded';

/** A document with any kind of _id. */
export interface Row extends Document {
  _id: number | string | number[] | RegExp | ObjectId;
}

/** A store in a temporary folder with a client; `close` ends and removes all of it. */
export interface TestStore {
  readonly dir: string;
  readonly url: string;
  readonly client: MongoClient;
  readonly db: Db;
  /** Closes the store and opens it again on the same folder; `client` and `db` are new ones after it. */
  restart(whileClosed?: () => void): Promise<void>;
  close(): Promise<void>;
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'store-'));

/** Opens a store in this thread; commits are not forced to disk unless asked. */
export async function openTestStore(
  options: Partial<OpenStoreOptions> = {},
  clientOptions: MongoClientOptions = {},
): Promise<TestStore> {
  const dir = options.dir ?? temporaryFolder();
  const start = async (): Promise<{ store: OpenedStore; client: MongoClient }> => {
    const store = await openStore({ sync: false, testCommands: true, ...options, dir });
    return { store, client: new MongoClient(store.url, { serverSelectionTimeoutMS: 5_000, ...clientOptions }) };
  };
  let running = await start();
  return {
    dir,
    get url() {
      return running.store.url;
    },
    get client() {
      return running.client;
    },
    get db() {
      return running.client.db();
    },
    async restart(whileClosed) {
      await running.client.close();
      await running.store.close();
      whileClosed?.();
      running = await start();
    },
    async close() {
      await running.client.close();
      await running.store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The code with which a call is refused; fails the test when it is not. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  throw new Error('the call was not refused');
}

/** The winning plan's stages from the outside in, with index names. */
export async function planOf(explain: Promise<Document>): Promise<string> {
  const names: string[] = [];
  for (let stage = (await explain).queryPlanner.winningPlan; stage !== undefined; stage = stage.inputStage)
    names.push(stage.indexName === undefined ? stage.stage : `${stage.stage} ${stage.indexName}`);
  return names.join(' < ');
}

/** Fails when documents and indexes disagree anywhere. */
export async function expectConsistent(db: Db): Promise<void> {
  for (const { name } of await db.listCollections().toArray())
    expect(await db.command({ validate: name })).toMatchObject({ valid: true, errors: [] });
}
