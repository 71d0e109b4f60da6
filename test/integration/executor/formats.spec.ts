import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { ExecutionDocument, JournalDocument } from '../../../runtime/mongo/documents';
import { openTestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { openHouse } from './house';

const RUNS = 12;

test('hosts of two versions share the work, and the older one leaves alone what the newer one has written into', async () => {
  const database = await openTestDatabase();
  const client = await MongoClient.connect(database.url);
  const db = client.db(database.name);
  const house = (nodeId: string, runFormats?: { reads: number; writes: number }) =>
    openHouse({ database, namespace: randomUUID(), nodeId, runFormats });
  const older = await house('older', { reads: 1, writes: 1 });
  let newer = await house('newer', { reads: 2, writes: 2 });
  try {
    const { ann } = older;
    const id = await older.workflow([
      { id: 'nap', type: 'wait', config: { for: '1ms' } },
      { id: 'ask', type: 'approval', config: { message: '?' } },
      { id: 'end', type: 'set', config: { done: true } },
    ]);
    const starts = Array.from({ length: RUNS }, async (_, n) => {
      const start = (n % 2 === 0 ? older : newer).t.call('workflows.trigger', { id, trigger: {} }, ann);
      return (await start).id;
    });
    const runs = await Promise.all(starts);
    for (const run of runs) await older.waiting(run);
    const executions = db.collection<ExecutionDocument>('executions');
    const marked = (await executions.find({ format: 2 }).toArray()).map(({ _id }) => _id);
    expect(marked.length).toBeGreaterThanOrEqual(RUNS / 2);
    await newer.close();

    const decide = (run: string) =>
      older.t.call('executions.signal', { id: run, signal: 'approve-ask', data: { approved: true } }, ann);
    for (const run of runs) await decide(run);
    for (const run of runs.filter((each) => !marked.includes(each)))
      expect(await older.ended(run)).toMatchObject({ status: 'completed' });
    // One more run after these, so that the older host has had time to claim the others.
    const last = await older.start(id);
    await older.waiting(last);
    await decide(last);
    await older.ended(last);
    expect(await executions.countDocuments({ _id: { $in: marked }, status: 'running', owner: null })).toBe(
      marked.length,
    );

    newer = await house('newer', { reads: 2, writes: 2 });
    for (const run of marked) await until(`${run} ends`, async () => (await older.get(run)).status === 'completed');
    const hosts = await db
      .collection<JournalDocument>('journal')
      .distinct('host', { _id: { $regex: `^(${marked.join('|')}):` } });
    const firsts = await executions.find({ _id: { $in: marked } }).toArray();
    expect(firsts.every(({ tail }) => tail?.host.startsWith('newer') === true)).toBe(true);
    expect(hosts.some((host) => host.startsWith('newer'))).toBe(true);
  } finally {
    await Promise.all([older.close(), newer.close()]);
    await client.close();
    await database.close();
  }
}, 60_000);
