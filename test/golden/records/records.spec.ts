import { type Db, MongoClient } from 'mongodb';
import { migrate, MIGRATIONS } from '../../../lib/migrations';
import { systemClock } from '../../../lib/clock';
import { openTestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { openHouse } from '../../integration/executor/house';
import { LATER_RUN_NAMES, openProvider, play, QUOTA_RUN_NAMES, RUN_NAMES, type Tape, tapes } from './tape';

it('there is a tape of each version that wrote something new', () => {
  expect(tapes.map(({ file }) => file)).toEqual(['0.1.0.json.gz', 'format-3.json.gz', 'format-4.json.gz']);
});

describe.each(tapes.map((tape) => [tape.file, tape] as const))('runs of %s', (_file, tape: Tape) => {
  it('go on where they were, and do nothing again that is on record', async () => {
    const database = await openTestDatabase();
    const client = await MongoClient.connect(database.url);
    const db = client.db(database.name) as Db;
    await play(tape, db);
    const log = (): void => undefined;
    const round = {
      db,
      steps: MIGRATIONS,
      kinds: ['expand', 'contract'] as const,
      holder: 'test',
      version: 'test',
      clock: systemClock,
      log,
      signal: new AbortController().signal,
    };
    expect(await migrate(round)).toBe('done');
    // The host that owned the runs is gone; the records are all that is left of them.
    await db
      .collection('executions')
      .updateMany({ status: 'running', owner: { $ne: null } }, { $set: { owner: null, wake_at: new Date() } });
    const { provider, house: withProvider } = await openProvider();
    const house = await openHouse({ database, ...withProvider, env: { ...withProvider.env, RETENTION_DAYS: '0' } });
    try {
      const actor = { ...tape.actor, role: 'owner' } as const;
      const get = (id: string) => house.t.call('executions.get', { id }, actor);
      const detail = async (id: string) => (await house.t.call('executions.detail', { id }, actor)).steps;
      const ends = (id: string) =>
        until(`${id} ends`, async () => {
          const run = await get(id);
          return run.status === 'running' ? null : run;
        });
      const approve = (id: string, step: string, approved = true) =>
        until(`${step} of ${id} is decided`, () =>
          house.t.call('executions.signal', { id, signal: `approve-${step}`, data: { approved } }, actor).then(
            () => true,
            () => false,
          ),
        );
      const { asks, hears, sleeps, loops, undoes, failed, child } = tape.runs;
      const before = await detail(asks);
      expect(before.find(({ path }) => path === 'each/steps[0]/note')).toMatchObject({
        status: 'completed',
        attempt: 1,
      });

      await approve(asks, 'ask.0');
      await approve(asks, 'ask.1');
      await house.t.call('executions.signal', { id: hears, signal: 'paid', data: { amount: 5 } }, actor);
      await house.t.call('executions.cancel', { id: undoes }, actor);
      const rows = await house.t.call('executions.approvals', {}, actor);
      const inner = rows.data.find(({ address }) => address === 'inside');
      await approve(String(inner?.execution_id), 'inside');
      const again = await house.t.call(
        'executions.retry',
        { id: failed, from_step: 'fix', input: { fails: false } },
        actor,
      );

      expect(await ends(asks)).toMatchObject({ status: 'completed', output: { count: 2 } });
      expect(await ends(hears)).toMatchObject({ status: 'completed', output: { size: 10_000, paid: 5 } });
      expect(await ends(sleeps)).toMatchObject({ status: 'completed', output: { ok: true } });
      expect(await ends(loops)).toMatchObject({ status: 'completed', output: { count: 2_000 } });
      expect(await ends(child)).toMatchObject({ status: 'completed', output: { ok: true } });
      expect(await ends(undoes)).toMatchObject({ status: 'cancelled' });
      expect((await detail(undoes)).find(({ step_id }) => step_id === 'free')).toMatchObject({
        status: 'completed',
        output: { room: 7 },
      });
      expect(await ends(again.id)).toMatchObject({ status: 'completed', output: { done: true } });
      const after = await detail(asks);
      for (const step of before.filter(({ status }) => status === 'completed'))
        expect(after.find(({ path }) => path === step.path)).toEqual(step);
      if (tape.file === '0.1.0.json.gz') {
        expect(Object.keys(tape.runs).sort()).toEqual([...RUN_NAMES].sort());
        return;
      }

      const later = tape.file === 'format-3.json.gz' ? LATER_RUN_NAMES : [...LATER_RUN_NAMES, ...QUOTA_RUN_NAMES];
      expect(Object.keys(tape.runs).sort()).toEqual([...RUN_NAMES, ...later].sort());
      const { pauses = '', gathers = '', settles = '' } = tape.runs;
      expect(await get(pauses)).toMatchObject({
        status: 'running',
        waiting: expect.arrayContaining([expect.objectContaining({ kind: 'paused' })]),
      });
      await house.t.call('executions.resume', { id: pauses }, actor);
      await approve(pauses, 'ask');
      expect(await ends(pauses)).toMatchObject({ status: 'completed', output: { done: true } });
      expect(await ends(gathers)).toMatchObject({ status: 'completed', output: { rows: [1, 2] } });
      expect(await ends(settles)).toMatchObject({ status: 'completed', output: { row: 2 } });
      const { admitted, queues } = tape.runs;
      if (admitted === undefined || queues === undefined) return;
      expect(await get(admitted)).toMatchObject({ status: 'completed', output: { ok: true } });
      expect(await ends(queues)).toMatchObject({ status: 'completed', output: { ok: true } });
      expect((await detail(queues)).map(({ attempt }) => attempt)).toEqual([1, 1]);
      expect(provider.seen).toHaveLength(1);
    } finally {
      await house.close();
      await provider.close();
      await client.close();
      await database.close();
    }
  }, 60_000);
});
