import type { Db } from 'mongodb';
import type { Connection } from 'mongoose';
import { systemClock } from '../lib/clock';
import { errorMessage } from '../lib/errors';
import { assertKnown, beginFresh, migrate, MIGRATIONS } from '../lib/migrations';
import { MASTER_RECORDS } from '../lib/master-key-record';
import { VERSION } from './version';

/** How long to wait before checking whether another process still runs the migrations. */
const RETRY_INTERVAL_MS = 30_000;

/** The log of the migrations. */
interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/**
 * Runs before anything else touches the data. An unused database needs no migrations.
 * @throws NewerDataError when a newer version has changed the data
 */
export async function admitData(connection: Connection): Promise<void> {
  const db = connection.db as unknown as Db;
  await assertKnown(db, MIGRATIONS, VERSION);
  const used = await db.collection(MASTER_RECORDS).findOne({}, { projection: { _id: 1 } });
  if (used === null) await beginFresh({ db, steps: MIGRATIONS, version: VERSION, clock: systemClock });
}

/** Runs migrations in the background; the service works with unmigrated data meanwhile. @returns stops them */
export function beginMigrations(connection: Connection, holder: string, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const round = {
    db: connection.db as unknown as Db,
    steps: MIGRATIONS,
    kinds: ['expand'] as const,
    version: VERSION,
    clock: systemClock,
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const outcome = await migrate({ ...round, holder, signal, log: (message) => log.info(message) });
        // Not done and not aborted: the lease went to another process, which may die too.
        if (outcome === 'done') return;
      } catch (fault) {
        // Retried: the service also works with unmigrated data.
        log.warn(`A migration failed and will be retried: ${errorMessage(fault)}`);
      }
      // A listener added after the abort would never be called.
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const cancel = systemClock.after(RETRY_INTERVAL_MS, resolve);
        signal.addEventListener('abort', () => (cancel(), resolve()), { once: true });
      });
    }
  };
  const working = work();
  return async () => {
    stopping.abort();
    await working;
  };
}
