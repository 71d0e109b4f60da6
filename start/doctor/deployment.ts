import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { LockedError, openStore } from '../../embedded';
import type { Config } from '../../lib/config';

const TIMEOUT_MS = 3_000;

/** The database of a deployment. `absent`: the built-in store before its first start. */
type Database =
  | { readonly kind: 'absent' }
  | { readonly kind: 'embedded' | 'mongodb'; readonly db: Db; readonly client: MongoClient; readonly served: boolean };

/** Opens the configured database at the first use, and closes it once. */
export class Deployment {
  #database: Promise<Database> | null = null;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(private readonly config: Config) {}

  database(): Promise<Database> {
    this.#database ??= this.#open();
    return this.#database;
  }

  /** Whether it can be opened; `database` throws the reason. */
  opens(): Promise<boolean> {
    return this.database().then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }

  async #open(): Promise<Database> {
    const { mongoUrl, dataDir } = this.config;
    if (mongoUrl !== null) return this.#connect('mongodb', mongoUrl, true);
    // Opening would create it.
    if (!existsSync(join(dataDir, 'data.db'))) return { kind: 'absent' };
    try {
      const store = await openStore({ dir: dataDir });
      this.#closers.push(() => store.close());
      return await this.#connect('embedded', store.url, false);
    } catch (cause) {
      if (!(cause instanceof LockedError)) throw cause;
      return this.#connect('embedded', readFileSync(join(dataDir, 'url'), 'utf8').trim(), true);
    }
  }

  async #connect(kind: 'embedded' | 'mongodb', url: string, served: boolean): Promise<Database> {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: TIMEOUT_MS, connectTimeoutMS: TIMEOUT_MS });
    this.#closers.push(() => client.close());
    await client.connect();
    return { kind, db: client.db(), client, served };
  }
}
