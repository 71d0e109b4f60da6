import type { Db } from 'mongodb';
import { createConnection } from 'mongoose';
import { type Collections, openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { mongoHostStore } from '../../../runtime/mongo/host-store';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import { mongoOutputStore } from '../../../runtime/mongo/output-store';
import { mongoSlotStore } from '../../../runtime/mongo/slot-store';
import type { OutputStore } from '../../../runtime/ports/output-store';
import type { Execution } from '../../../runtime/core/model';
import type { HostStore } from '../../../runtime/ports/host-store';
import type { RunStore } from '../../../runtime/ports/run-store';
import type { SlotStore } from '../../../runtime/ports/slot-store';
import { openTestDatabase } from '../app';
import { ManualClock } from '../manual-clock';
import { until } from '../until';
import { SimConnection, SimDatabase } from './sim-store';

/** A store under test, with a second connection to the same database, as in another process. */
export interface Subject {
  readonly runs: RunStore;
  readonly hosts: HostStore;
  readonly slots: SlotStore;
  readonly outputs: OutputStore;
  readonly others: readonly RunStore[];
  /** Lets a lease of this length lapse. */
  lapse(ms: number): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

function simulated(): Promise<Subject> {
  const clock = new ManualClock();
  const db = new SimDatabase(() => clock.now());
  const connection = new SimConnection(db);
  return Promise.resolve({
    runs: connection.runs,
    hosts: connection.hosts,
    slots: connection.slots,
    outputs: connection.outputs,
    others: [1, 2, 3, 4].map(() => new SimConnection(db).runs),
    lapse: async (ms) => clock.advance(ms + 1),
    empty: async () => {
      for (const map of [db.executions, db.journals, db.mail, db.payloads, db.hosts, db.ledgers, db.outputs])
        map.clear();
    },
    close: async () => {},
  });
}

async function onMongo(): Promise<Subject> {
  const database = await openTestDatabase();
  const connections = await Promise.all(
    [1, 2, 3, 4, 5].map(() => createConnection(database.url, { dbName: database.name }).asPromise()),
  );
  const collections = connections.map((connection) => openCollections(connection.db as unknown as Db));
  const [first, ...rest] = collections as [Collections, ...Collections[]];
  await ensureIndexes(first);
  await ensureIndexes(first);
  return {
    runs: mongoRunStore(first),
    hosts: mongoHostStore(first),
    slots: mongoSlotStore(first),
    outputs: mongoOutputStore(first),
    others: rest.map((each) => mongoRunStore(each)),
    lapse: async (ms) => {
      const end = Date.now() + ms;
      await until('the lease has lapsed', () => Date.now() > end + 20);
    },
    empty: async () => {
      for (const collection of Object.values(first)) await collection.deleteMany({});
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
      await database.close();
    },
  };
}

/** All stores of the runtime, by name. */
export const STORES = [
  ['the simulated store', simulated],
  ['a document database', onMongo],
] as const;

export const claimOf = (id: string, host = 'h1', epoch = 1) => ({ id, host, epoch });

/** Claims all due runs, as a host does. */
export const take = async (store: RunStore, host: string, now: number, limit: number): Promise<Execution[]> =>
  store.claim(host, await store.due(now, limit));
