import { MongoClient } from 'mongodb';
import { monthOf } from '../../../lib/month';
import { openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import { UsageTotals } from '../../../services/executor/usage/usage-totals';
import { openTestDatabase } from '../../support/app';
import { execution, T0 } from '../../support/runtime/records';

const DAY_MS = 24 * 3_600_000;
const MONTH = monthOf(T0);

/** The totals on a database with runs of one tenant that started at these times, and the commands that they send. */
async function opened(starts: readonly number[]) {
  const database = await openTestDatabase();
  const client = await new MongoClient(database.url, { monitorCommands: true }).connect();
  const db = client.db(database.name);
  const collections = openCollections(db);
  await ensureIndexes(collections);
  const runs = mongoRunStore(collections);
  await Promise.all(starts.map((startedAt, n) => runs.insert(execution(`e${n}`, { startedAt }))));
  const sent: string[] = [];
  client.on('commandStarted', ({ commandName }) => sent.push(commandName));
  return {
    sent,
    totals: new UsageTotals(db, collections),
    async close() {
      await client.close();
      await database.close();
    },
  };
}

describe('the runs of a month', () => {
  it('are counted with a few commands late in the month, when there were none before', async () => {
    const { totals, sent, close } = await opened([]);
    try {
      expect(await totals.read('tenant', MONTH, T0 + 29 * DAY_MS)).toBe(0);
      expect(sent.length).toBeLessThanOrEqual(9);
    } finally {
      await close();
    }
  });

  it('are counted each once, however far they are apart', async () => {
    const days = [0, 0.5, 1, 12, 12.999, 13, 28, 28.9999];
    const { totals, sent, close } = await opened(days.map((day) => T0 + day * DAY_MS));
    try {
      expect(await totals.read('tenant', MONTH, T0 + 29 * DAY_MS)).toBe(days.length);
      // Three stretches of runs, however many days are between them.
      expect(sent.length).toBeLessThanOrEqual(30);
      expect(await totals.read('tenant', MONTH, T0 + 30 * DAY_MS)).toBe(days.length);
      expect(await totals.read('other', MONTH, T0 + 29 * DAY_MS)).toBe(0);
    } finally {
      await close();
    }
  });
});
