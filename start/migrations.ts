import type { Db } from 'mongodb';
import type { Connection } from 'mongoose';
import { systemClock } from '../lib/clock';
import { errorMessage } from '../lib/errors';
import { assertKnown, beginFresh, migrate, MIGRATIONS } from '../mixins/migrations';
import { MASTER_RECORDS } from '../mixins/keys/master';
import { VERSION } from './version';

/** How long another process may be at a step before it is looked whether it has died. */
const AGAIN_MS = 30_000;

/** Where steps are told of. */
interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/**
 * Before anything else touches the data. Of data that nobody has used yet nothing is to be brought up to date.
 * @throws NewerDataError when it was changed in a way that this version does not know
 */
export async function admitData(connection: Connection): Promise<void> {
  const db = connection.db as unknown as Db;
  await assertKnown(db, MIGRATIONS, VERSION);
  const used = await db.collection(MASTER_RECORDS).findOne({}, { projection: { _id: 1 } });
  if (used === null) await beginFresh({ db, steps: MIGRATIONS, version: VERSION, clock: systemClock });
}

/** Brings the data up to date beside the service, which works with what is not yet. @returns what stops it */
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
        // Stopped without our word: the lease was lost to another process, which may die in its turn.
        if (outcome === 'done') return;
      } catch (fault) {
        // Tried again: what is not up to date is worked with all the same.
        log.warn(`A step of the migrations has failed, and is tried again: ${errorMessage(fault)}`);
      }
      // An event that is over is heard by nobody.
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const cancel = systemClock.after(AGAIN_MS, resolve);
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
