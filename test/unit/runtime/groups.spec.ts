import fc from 'fast-check';
import type { PreparedPlan } from '../../../dsl';
import type { Json } from '../../../lib/json';
import { INITIAL_FIELDS } from '../../../runtime/worker/deps';
import { mayAcquire, nextOf, abandoned, type PermitHolder } from '../../../runtime/core/decide/permits';
import { CANCEL } from '../../../runtime/core/decide/waits';
import type { Concurrency, Execution } from '../../../runtime/core/model';
import type { GroupState } from '../../../runtime/ports/group-store';
import { settle, until } from '../../support/manual-clock';
import { LEASE_MS, World } from '../../support/runtime/world';

const effect = (id: string): Json => ({ id, type: 'effect', config: {} });
const nap = (id: string, time: string): Json => ({ id, type: 'wait', config: { for: time } });
const group = (more: Partial<Concurrency> = {}): Concurrency => ({
  group: 'g',
  key: 'k',
  limit: 1,
  onConflict: 'queue',
  ...more,
});

const heldBy = (...holders: PermitHolder[]): GroupState => ({ holders, queued: false });

/** A world with some hosts, and a way to start runs of a group on the first of them. */
async function office(steps: Json[], hosts = 1, rest = {}) {
  const world = new World();
  const plan = world.plan(steps, rest);
  for (let n = 0; n < hosts; n++) await world.host().host.start();
  const start = async (id: string, concurrency = group()) => {
    const { host } = world.hosts.find(({ connection }) => !connection.dead) as World['hosts'][number];
    const began = await host.begin(world.execution(id, plan, {}, { concurrency }), plan);
    await settle();
    return began;
  };
  return { world, plan, start };
}

const ended = (world: World, ...ids: string[]): Promise<void> =>
  until(world.clock, () => ids.every((id) => world.ended(id)));
const waiting = (world: World, id: string): string[] =>
  world.row(id).waiting.map(({ kind, name }) => `${kind} ${name}`);

describe('a run of a group', () => {
  it('starts at once on the host that gets it when no other runs, and takes four writes more than its steps', async () => {
    const { world, start } = await office([effect('e')]);
    expect(await start('a')).toBe('here');
    expect(world.ended('a')).toBe(true);
    expect(world.db.groups.size).toBe(0);
    expect(world.hosts[0]?.connection.log).toEqual(['enter', 'insert', 'append', 'end', 'leave', 'settle']);
  });

  it('is stored first when another one runs, and starts when it has its permit', async () => {
    const { world, start } = await office([nap('w', '1m')]);
    expect(await start('a')).toBe('here');
    expect(await start('b')).toBe('stored');
    expect(waiting(world, 'b')).toEqual(['slot k']);
    await ended(world, 'a', 'b');
    expect(world.endings).toEqual(['a', 'b']);
    expect(world.db.groups.size).toBe(0);
  });

  it('keeps its permit while it waits, and when its host dies', async () => {
    const { world, start } = await office([effect('e'), nap('w', '1m'), effect('f')], 2);
    await start('a');
    await until(world.clock, () => world.row('a').waiting.length > 0);
    await start('b');
    expect(waiting(world, 'b')).toEqual(['slot k']);
    world.hosts[0]?.connection.kill();
    const early: string[] = [];
    world.answers.set('e', () => {
      if (!world.ended('a')) early.push('b');
      return { kind: 'done', output: {} };
    });
    await ended(world, 'a', 'b');
    expect(early).toEqual([]);
    expect(world.endings).toEqual(['a', 'b']);
  });

  it('runs concurrently with those of other groups', async () => {
    const { world, start } = await office([nap('w', '1m')]);
    await start('a');
    await start('b', group({ group: 'other tenant' }));
    await until(world.clock, () => world.row('a').waiting.length + world.row('b').waiting.length === 2);
    expect([waiting(world, 'a'), waiting(world, 'b')]).toEqual([['timer null'], ['timer null']]);
  });

  it('needs no permit when it is cancelled or past its deadline', async () => {
    const { world, start } = await office([nap('w', '5m')], 1, { timeout: '2m' });
    await start('a');
    await until(world.clock, () => world.row('a').waiting.length > 0);
    const later = world.clock.now() + 60_000;
    await until(world.clock, () => world.clock.now() >= later);
    await start('b');
    await start('c');
    await world.send('c', { id: CANCEL, name: CANCEL });
    const cancelled = world.clock.now();
    await ended(world, 'c');
    expect([world.row('c').status, world.clock.now()]).toEqual(['cancelled', cancelled]);
    // Its deadline is later than the end of the first one: it gets its place, and no more time.
    await ended(world, 'a', 'b');
    expect(world.row('b')).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
    expect(world.clock.now() - world.row('b').startedAt).toBe(120_000);
  });

  it('receives signals while it waits for its permit, and does not start earlier', async () => {
    const { world, start } = await office([{ id: 's', type: 'wait_for_signal', config: { signal: 'go' } }]);
    await start('a');
    await start('b');
    await world.send('b', { id: 'm', name: 'go', data: { v: 1 } });
    await settle();
    expect(waiting(world, 'b')).toEqual(['slot k']);
    await world.send('a', { id: 'm', name: 'go' });
    await ended(world, 'a', 'b');
    expect(world.row('b').output).toEqual({ v: 1 });
  });
});

describe('a permit', () => {
  it('is granted in the order of the starts, at once when one is free', async () => {
    const { world, start } = await office([nap('w', '10s')], 3);
    for (const id of ['a', 'b', 'c', 'd']) {
      await start(id);
      world.clock.advance(10);
    }
    const began = world.clock.now();
    await ended(world, 'a', 'b', 'c', 'd');
    expect(world.endings).toEqual(['a', 'b', 'c', 'd']);
    // Ten seconds each, and a poll at most between two.
    expect(world.clock.now() - began).toBeLessThan(44_000);
  });

  it('is requested often by the next ones only, and all get theirs in time', async () => {
    const { world, start } = await office([nap('w', '8s')], 2);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) {
      await start(id, group({ limit: 2 }));
      world.clock.advance(1);
    }
    await until(world.clock, () => ids.every((id) => world.row(id).waiting.length > 0));
    const looks = ids.map((id) => ((world.row(id).wakeAt as number) - world.row(id).startedAt) / 1_000);
    expect(looks.map((seconds) => Math.round(seconds / 10) * 10)).toEqual([10, 10, 30, 30, 300, 300]);
    const began = world.clock.now();
    await ended(world, ...ids);
    expect(world.clock.now() - began).toBeLessThanOrEqual(27_000);
  });

  it('that is free goes to an older waiting run, which is woken', async () => {
    const { world, plan, start } = await office([nap('w', '5s')]);
    const older = world.execution('a', plan, {}, { concurrency: group(), startedAt: world.clock.now() - 1 });
    const wakeAt = world.clock.now() + 3_600_000;
    await world.client.runs.insert({ ...older, ...INITIAL_FIELDS, owner: null, epoch: 0, wakeAt });
    await world.client.groups.markQueued('g', 'a', world.clock.now());
    await start('b');
    await ended(world, 'a', 'b');
    expect(world.endings).toEqual(['a', 'b']);
  });

  it('that was not released is found by the next attempt', async () => {
    const { world, start } = await office([effect('e')]);
    world.db.groups.set('g', heldBy({ id: 'purged', at: world.clock.now() - 61_000 }));
    await start('a');
    expect(world.ended('a')).toBe(true);
  });

  it('of a run that does not exist is kept for a minute, as the run may still be stored', async () => {
    const { world, start } = await office([effect('e')]);
    world.db.groups.set('g', heldBy({ id: 'unseen', at: world.clock.now() }));
    await start('a');
    expect(waiting(world, 'a')).toEqual(['slot k']);
    const began = world.clock.now();
    await ended(world, 'a');
    expect(world.clock.now() - began).toBeGreaterThan(60_000);
    expect(world.clock.now() - began).toBeLessThanOrEqual(91_000);
  });

  it('of a run that its host had not stored when it died is released within seconds', async () => {
    const { world, start } = await office([effect('e')], 2);
    world.hosts[0]?.connection.hold('insert');
    const starting = start('unstored');
    await settle();
    expect(world.db.groups.get('g')?.holders).toMatchObject([{ id: 'unstored' }]);
    world.hosts[0]?.connection.kill();
    void starting.catch(() => {});
    await start('a');
    expect(waiting(world, 'a')).toEqual(['slot k']);
    const began = world.clock.now();
    await ended(world, 'a');
    expect(world.clock.now() - began).toBeLessThanOrEqual(2 * LEASE_MS + 5_000);
    expect(world.db.groups.size).toBe(0);
  });

  it('that a run has lost, because it was stored too late, is acquired again before its first step', async () => {
    const { world, start } = await office([effect('e'), nap('w', '10m')], 2);
    const store = world.hosts[0]?.connection.hold('insert') as () => void;
    void start('slow').catch(() => {});
    await settle();
    const { host } = world.hosts[1] as World['hosts'][number];
    const plan = [...world.plans.values()][0] as PreparedPlan;
    await host.begin(world.execution('a', plan, {}, { concurrency: group() }), plan);
    await until(world.clock, () => world.row('a').waiting[0]?.kind === 'timer');
    store();
    await until(world.clock, () => world.db.executions.has('slow') && waiting(world, 'slow')[0] === 'slot k');
    expect([world.ended('a'), world.entries('slow')]).toEqual([false, []]);
    await ended(world, 'a', 'slow');
    expect(world.endings).toEqual(['a', 'slow']);
  });

  it('that is released at the moment of a refusal is not missed', async () => {
    const { world, start } = await office([effect('e')]);
    let land = (): void => {};
    world.answers.set('e', (n) =>
      n === 1
        ? new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} })))
        : { kind: 'done', output: {} },
    );
    await start('a');
    const release = world.hosts[0]?.connection.hold('release') as () => void;
    await start('b');
    land();
    await settle();
    expect([world.ended('a'), world.db.groups.get('g')?.holders]).toEqual([true, []]);
    const before = world.clock.now();
    release();
    await until(world.clock, () => world.ended('b'));
    expect(world.clock.now() - before).toBeLessThanOrEqual(1_000);
  });
});

describe('a run without a permit', () => {
  it('is released at once, also when a message comes at the same moment', async () => {
    const { world, start } = await office([nap('w', '1m')]);
    await start('a');
    const release = world.hosts[0]?.connection.hold('release') as () => void;
    await start('b');
    await world.client.runs.addMessage('b', { id: 'm', name: 'go', data: {}, by: null, at: 0 }, world.clock.now());
    const before = world.clock.now();
    release();
    await settle(12);
    expect([world.row('b').owner, world.row('b').messageSeq, world.clock.now()]).toEqual([null, 1, before]);
    await ended(world, 'b');
  });

  it('ends as cancelled when it is to be skipped, with the key as the reason', async () => {
    const { world, start } = await office([nap('w', '10s'), effect('e')]);
    await start('a', group({ onConflict: 'skip' }));
    await start('b', group({ onConflict: 'skip' }));
    expect(world.row('b')).toMatchObject({
      status: 'cancelled',
      error: { code: 'concurrency_conflict', message: expect.stringContaining('"k"'), step_id: null },
    });
    expect(world.entries('b')).toMatchObject([{ kind: 'run.ended', status: 'cancelled' }]);
    await ended(world, 'a');
    expect(world.row('a').status).toBe('completed');
  });

  it.each(['queue', 'skip', 'cancel_running'] as const)(
    'is not needed under one that waits for its end (%s)',
    async (onConflict) => {
      const world = new World();
      const plan = world.plan([
        { id: 'call', type: 'sub_workflow', if: '{{ trigger.deep < 2 }}', config: { workflow: 'self' } },
        effect('e'),
      ]);
      const { host } = world.host();
      await host.start();
      const concurrency = group({ limit: 2, onConflict });
      world.startChild = async (on, { executionId, parent, depth }) => {
        await on.begin(world.execution(executionId, plan, { deep: depth }, { parent, depth, concurrency }), plan);
        return { kind: 'started' };
      };
      // Two families have both places, and each wants more.
      for (const id of ['a', 'b']) await host.begin(world.execution(id, plan, { deep: 0 }, { concurrency }), plan);
      await ended(world, 'a', 'b');
      const rows = [...world.db.executions.values()].map(({ id, status }) => `${id} ${status}`);
      expect(rows.sort()).toEqual(
        ['a', 'b'].flatMap((id) => [id, `${id}>call#0`, `${id}>call#0>call#0`].map((run) => `${run} completed`)),
      );
      expect(world.outside.ran.get('e')).toBe(6);
    },
  );

  it('replaces the older ones with cancel_running', async () => {
    const { world, start } = await office([nap('w', '1d')]);
    await start('a');
    await start('b');
    expect(waiting(world, 'b')).toEqual(['slot k']);
    world.clock.advance(1);
    await start('c', group({ onConflict: 'cancel_running' }));
    await ended(world, 'a', 'b');
    await until(world.clock, () => world.row('c').waiting[0]?.kind === 'timer');
    for (const id of ['a', 'b'])
      expect(world.row(id)).toMatchObject({ status: 'cancelled', error: { code: 'concurrency_conflict' } });
    expect(world.clock.now() - world.row('c').startedAt).toBeLessThanOrEqual(1_000);
  });
});

describe('many runs of a group, on hosts that die', () => {
  const steps = [effect('e'), nap('w', '3s'), effect('f')];
  const chance = fc.record({
    limit: fc.integer({ min: 1, max: 3 }),
    runs: fc.integer({ min: 3, max: 7 }),
    crashes: fc.array(
      fc.record({ write: fc.integer({ min: 1, max: 25 }), when: fc.constantFrom('before' as const, 'after' as const) }),
      { maxLength: 2 },
    ),
    cancelled: fc.option(fc.nat(6)),
  });

  /** Runs between their first entry and their end. */
  const goingOn = (world: World): Execution[] =>
    [...world.db.executions.values()].filter(({ id, status }) => status === 'running' && world.db.journals.has(id));

  it('never exceed the limit, and all end', async () => {
    await fc.assert(
      fc.asyncProperty(chance, async ({ limit, runs, crashes, cancelled }) => {
        const world = new World();
        const plan = world.plan(steps);
        for (const crash of crashes) await world.host(crash).host.start();
        await world.host().host.start();
        await world.host().host.start();
        let max = 0;
        const count = (): { kind: 'done'; output: Record<string, never> } => {
          max = Math.max(max, goingOn(world).length);
          return { kind: 'done', output: {} };
        };
        for (const path of ['e', 'f']) world.answers.set(path, count);
        const ids = Array.from({ length: runs }, (_, n) => `r${n}`);
        for (const [n, id] of ids.entries()) {
          const host = world.hosts[n % world.hosts.length] as World['hosts'][number];
          const fresh = world.execution(id, plan, {}, { concurrency: group({ limit }) });
          const healthy = world.hosts.at(-1) as World['hosts'][number];
          let stored = false;
          void host.host.begin(fresh, plan).then(() => (stored = true));
          await settle();
          if (!stored) await healthy.host.begin(fresh, plan);
          world.clock.advance(7);
        }
        if (cancelled !== null && cancelled < runs) await world.send(`r${cancelled}`, { id: CANCEL, name: CANCEL });
        const quiet = () => world.db.groups.size === 0 && ids.every((id) => world.row(id).outbox.length === 0);
        await until(world.clock, () => ids.every((id) => world.ended(id)) && quiet());
        expect(max).toBeLessThanOrEqual(limit);
        const wrong = ids.filter((id) => world.row(id).status !== 'completed' && id !== `r${cancelled}`);
        expect(wrong).toEqual([]);
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});

describe('the rules of permits', () => {
  const someone = fc.integer({ min: 0, max: 9 }).map((n) => `r${n}`);
  const seen = fc.record({
    holders: fc.uniqueArray(someone, { maxLength: 5 }),
    members: fc.uniqueArray(someone, { maxLength: 10 }),
    limit: fc.integer({ min: 1, max: 4 }),
  });

  it('admit exactly the runs that are woken when a permit is free', () => {
    fc.assert(
      fc.property(seen, ({ holders, members, limit }) => {
        const read = {
          holders: holders.map((id) => ({ id, at: 0 })),
          waiters: members.map((id, startedAt) => ({ id, startedAt, limit })),
        };
        const next = nextOf(read);
        expect(next.length).toBeLessThanOrEqual(Math.max(0, limit - holders.length));
        for (const id of members.filter((one) => !holders.includes(one)))
          expect(mayAcquire(read, id, limit)).toBe(next.includes(id));
      }),
    );
  });

  it('let no run overtake one whose limit is smaller, where workflows share a limit', () => {
    const holders = ['a', 'b'].map((id) => ({ id, at: 0 }));
    const waiter = (id: string, limit: number, startedAt: number) => ({ id, startedAt, limit });
    const waiters = [waiter('c', 5, 0), waiter('d', 2, 1), waiter('e', 5, 2)];
    expect(nextOf({ holders, waiters })).toEqual(['c']);
    expect(
      [
        ['c', 5],
        ['d', 2],
        ['e', 5],
      ].map(([id, limit]) => mayAcquire({ holders, waiters }, id as string, limit as number)),
    ).toEqual([true, false, false]);
    expect(nextOf({ holders: [], waiters: waiters.slice(1) })).toEqual(['d', 'e']);
  });

  it('never release the permit of a run that continues', () => {
    const holders = [
      { id: 'runs', at: 0 },
      { id: 'ended', at: 90_000 },
      { id: 'absent', at: 0 },
      { id: 'late', at: 90_000 },
      { id: 'dead', at: 90_000, host: 'h1' },
      { id: 'acts', at: 90_000, host: 'h2' },
      { id: 'moved', at: 0, host: 'h1' },
    ];
    const absent = ['absent', 'late', 'dead', 'acts'];
    expect(abandoned(holders, { ended: ['ended'], absent, deadHosts: ['h1'] }, 100_000)).toEqual([
      'ended',
      'absent',
      'dead',
    ]);
  });
});
