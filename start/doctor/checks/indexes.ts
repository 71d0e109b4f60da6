import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoServerError } from 'mongodb';
import { readConfig } from '../../../lib/config';
import { startProcess } from '../../process';
import { type Check, ok } from '../finding';
import { compareIndexes, indexOf, type Indexes } from '../index-rules';

const NAMESPACE_NOT_FOUND = 26;

/**
 * Compares the indexes with those of this version. Only the services define them, so they create them in an empty store
 * in a temporary folder.
 */
export const indexes: Check = {
  name: 'indexes',
  needsDatabase: true,
  mend: 'See what the check of the database says.',
  async run({ deployment }) {
    const found = await deployment.database();
    if (found.kind === 'absent') return [ok('the first start will create them')];
    const there = await indexesOf(found.db);
    if (there.size === 0) return [ok('the first start will create them')];
    return compareIndexes(await wantedIndexes(), there);
  },
};

async function indexesOf(db: Db): Promise<Indexes> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  const lists = await Promise.all(
    names.map(async (name) => {
      const list = await db.collection(name).indexes().catch(emptyWhenRemoved);
      return list.length === 0 ? [] : [[name, list.map(indexOf)] as const];
    }),
  );
  return new Map(lists.flat());
}

/** The check of the database, which runs at the same time, makes and removes a collection. */
function emptyWhenRemoved(fault: unknown): [] {
  if (fault instanceof MongoServerError && fault.code === NAMESPACE_NOT_FOUND) return [];
  throw fault;
}

async function wantedIndexes(): Promise<Indexes> {
  const dir = mkdtempSync(join(tmpdir(), 'everstep-doctor-'));
  const env = {
    DATA_DIR: dir,
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'fatal',
    NODE_ID: 'doctor',
  };
  try {
    const { app, stop } = await startProcess(readConfig(env), () => undefined);
    try {
      return await indexesOf(app.db.db as unknown as Db);
    } finally {
      await stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
