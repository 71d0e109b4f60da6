import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { readConfig } from '../../../lib/config';
import {
  assertKnown,
  beginFresh,
  doneSteps,
  fencesOf,
  migrate,
  type Migration,
  MIGRATIONS,
  type Round,
} from '../../../lib/migrations';
import type { Change } from '../../../lib/migrations/step';
import { startProcess } from '../../../start/process';
import { errorText } from '../../../start/error-text';
import { openTestDatabase, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';

interface Row {
  _id: string;
  n?: number;
  old?: boolean;
}
const ROWS = 1_000;
const never = new AbortController().signal;

describe('migrations', () => {
  let database: TestDatabase;
  let client: MongoClient;
  let db: Db;
  const clock = new ManualClock();
  const round = (steps: readonly Migration[], given: Partial<Round> = {}): Round => ({
    db,
    steps,
    kinds: ['expand'],
    holder: 'one',
    version: '0.2.0',
    clock,
    log: () => undefined,
    signal: never,
    ...given,
  });
  /** Turns `old` into a number, and counts which documents it has looked at. */
  const changed = ({ old }: Row): Change<Row> | null =>
    old ? { where: { old }, update: { $set: { n: 1 }, $unset: { old: '' } } } : null;

  function counting(number: number, onEach: (seen: string[]) => void = () => undefined) {
    const seen: string[] = [];
    const step: Migration = {
      number,
      name: `counting ${number}`,
      kind: 'expand',
      run: ({ walk }) =>
        walk<Row>('rows', {}, (row) => {
          seen.push(row._id);
          onEach(seen);
          return changed(row);
        }),
    };
    return { step, seen };
  }

  beforeAll(async () => {
    database = await openTestDatabase();
    client = await MongoClient.connect(database.url);
    db = client.db(database.name);
  });
  afterAll(async () => {
    await client.close();
    await database.close();
  });
  beforeEach(async () => {
    await Promise.all(['rows', 'migrations', 'leases'].map((name) => db.collection(name).deleteMany({})));
    await db
      .collection<Row>('rows')
      .insertMany(Array.from({ length: ROWS }, (_, n) => ({ _id: String(n).padStart(4, '0'), old: true })));
  });

  it('go on where they were stopped, and are done once', async () => {
    const stopping = new AbortController();
    const { step, seen } = counting(1, (ids) => ids.length === 250 && stopping.abort());
    expect(await migrate(round([step], { signal: stopping.signal }))).toBe('stopped');
    expect(seen).toHaveLength(400);
    // Changes of others in between are not undone.
    await db.collection<Row>('rows').updateOne({ _id: '0900' }, { $set: { n: 7 }, $unset: { old: '' } });
    expect(await migrate(round([step], { holder: 'two' }))).toBe('done');
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(ROWS);
    expect(await db.collection('rows').countDocuments({ n: 1 })).toBe(ROWS - 1);
    expect(await migrate(round([step]))).toBe('done');
    expect(seen).toHaveLength(ROWS);
    expect(await migrate(round([step], { again: true }))).toBe('done');
    expect(seen).toHaveLength(2 * ROWS);
  });

  it('are done by one process at a time, and taken over from one that is gone', async () => {
    const outcomes: unknown[] = [];
    const other = () => migrate(round([counting(1).step], { holder: 'two' }));
    const { step } = counting(1);
    const first: Migration = {
      ...step,
      run: async (work) => {
        await work.walk<Row>('rows', { _id: { $lt: '0200' } }, changed);
        outcomes.push(await other());
        // It stands still, and its lease is over.
        clock.advance(120_000);
        outcomes.push(await other());
        await step.run(work);
      },
    };
    outcomes.push(await migrate(round([first])));
    // The other one has given the lease back, so the first may check what is done.
    expect(outcomes).toEqual(['elsewhere', 'done', 'done']);
    expect(await db.collection('rows').countDocuments({ n: 1 })).toBe(ROWS);
    expect([...(await doneSteps(db))]).toEqual([1]);
  });

  it('that stalled for too long do not undo what another process has finished since', async () => {
    const held: Promise<unknown>[] = [];
    let other: Promise<unknown> | undefined;
    const second: Migration = {
      ...counting(2).step,
      run: async () => expect([await held[0], [...(await doneSteps(db))]]).toEqual(['stopped', [1]]),
    };
    const first: Migration = {
      ...counting(1).step,
      run: async ({ walk }) => {
        await walk<Row>('rows', { _id: { $lt: '0100' } }, () => null);
        clock.advance(120_000);
        other = migrate(round([counting(1).step, second], { holder: 'two' }));
        await until('the other one has done it', async () => (await doneSteps(db)).has(1));
        await walk<Row>('rows', {}, () => null);
      },
    };
    held.push(migrate(round([first])));
    expect([await held[0], await other]).toEqual(['stopped', 'done']);
    expect(await doneSteps(db)).toEqual(new Set([1, 2]));
  });

  it('that fail leave what they have done, and are tried again', async () => {
    const { step } = counting(1, (seen) => {
      if (seen.length === 450) throw new Error('broken');
    });
    await expect(migrate(round([step]))).rejects.toThrow('broken');
    expect([...(await doneSteps(db))]).toEqual([]);
    const { step: mended, seen } = counting(1);
    expect(await migrate(round([mended], { holder: 'two' }))).toBe('done');
    expect(seen).toHaveLength(ROWS - 400);
  });

  it('keep out programs that do not know a step, from before its first change on', async () => {
    let during: unknown = null;
    const fencing: Migration = {
      number: 2,
      name: 'fencing',
      kind: 'contract',
      fences: true,
      run: async () => {
        during = await assertKnown(db, MIGRATIONS.slice(0, 1), '0.1.0').catch((fault: unknown) => fault);
      },
    };
    await migrate(round([fencing], { kinds: ['contract'] }));
    expect(errorText(during)).toMatch(/^The data was changed by version 0\.2\.0 .* start 0\.2\.0 or a newer one/);
    await expect(assertKnown(db, [fencing], '0.2.0')).resolves.toBeUndefined();
  });

  it('of this version give timers their kind at once, and drop indexes of earlier versions in the contract phase', async () => {
    const every = { index: 0, every: 3_600_000 };
    await db
      .collection<{ _id: string; timers: string[] }>('workflows')
      .insertOne({ _id: 'w', timers: [JSON.stringify(every), '{"kind":"poll"}'] });
    await db
      .collection<{ _id: string; timer: string }>('schedules')
      .insertOne({ _id: 's', timer: JSON.stringify(every) });
    await db.collection('workflows').createIndex({ deleted_at: 1 });
    const indexes = async () => (await db.collection('workflows').indexes()).map(({ name }) => name);
    expect(await migrate(round(MIGRATIONS))).toBe('done');
    const whole = JSON.stringify({ kind: 'schedule', ...every });
    expect(await db.collection('workflows').findOne({})).toMatchObject({ timers: [whole, '{"kind":"poll"}'] });
    expect(await db.collection('schedules').findOne({})).toMatchObject({ timer: whole });
    expect(await indexes()).toContain('deleted_at_1');
    expect(await migrate(round(MIGRATIONS, { kinds: ['expand', 'contract'], again: true }))).toBe('done');
    expect(await indexes()).not.toContain('deleted_at_1');
  });

  it('change nothing in a database without data, and its fence is up', async () => {
    const fencing: Migration = { ...counting(5).step, fences: true };
    await beginFresh({ db, steps: [...MIGRATIONS, fencing], version: '0.2.0', clock });
    expect([...(await doneSteps(db))].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
    expect(await fencesOf(db).findOne({ _id: 'fence' })).toMatchObject({ needs: 5, version: '0.2.0' });
  });
});

test('a server refuses to start on data of a newer version, and says which to start', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'everstep-newer-'));
  const env = { DATA_DIR: dir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'fatal', SHUTDOWN_GRACE_SECONDS: '0' };
  const start = () => startProcess(readConfig(env), () => undefined);
  // The first start compiles all modules for the test, which may take longer than a connection waits.
  const first = await start().catch(start);
  const db = first.app.db.db as unknown as Db;
  expect((await doneSteps(db)).size).toBe(MIGRATIONS.length);
  await fencesOf(db).insertOne({ _id: 'fence', needs: 99, version: '9.0.0' });
  await first.stop();
  const refused = await start().catch((fault: unknown) => fault);
  expect(errorText(refused)).toMatch(/^The data was changed by version 9\.0\.0 .* start 9\.0\.0 or a newer one/);
  rmSync(dir, { recursive: true });
}, 60_000);
