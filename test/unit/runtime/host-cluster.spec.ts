import type { Json } from '../../../lib/json';
import { AppError } from '../../../lib/errors';
import { MemoryBudget, MAX_HELD_CHARS, runsToShed } from '../../../runtime/worker/memory-budget';
import { INITIAL_FIELDS } from '../../../runtime/worker/deps';
import type { Host } from '../../../runtime/worker/host';
import { CANCEL } from '../../../runtime/core/state/state';
import { settle, until } from '../../support/manual-clock';
import { mail } from '../../support/runtime/records';
import { LEASE_MS, World } from '../../support/runtime/world';

const effect = (id: string): Json => ({ id, type: 'effect', config: {} });
const never = (): Promise<never> => new Promise(() => {});

async function machines(count: number, options: { capacity?: number } = {}) {
  const world = new World();
  const hosts: Host[] = [];
  for (let n = 0; n < count; n++) {
    const { host } = world.host(null, options);
    await host.start();
    hosts.push(host);
  }
  return { world, hosts: hosts as [Host, ...Host[]] };
}

const waiting = (world: World, id: string, plan: ReturnType<World['plan']>, given: object = {}) => {
  const run = {
    ...world.execution(id, plan),
    ...INITIAL_FIELDS,
    owner: null,
    epoch: 0,
    wakeAt: world.clock.now(),
    ...given,
  };
  world.db.executions.set(id, run);
};

describe('claims', () => {
  it('reach the run of a tenant behind a backlog of another one', async () => {
    const world = new World();
    const plan = world.plan([effect('e')]);
    for (let n = 0; n < 600; n++)
      waiting(world, `big${n}`, plan, { tenantId: 'big', wakeAt: world.clock.now() - 10_000 + n });
    waiting(world, 'small', plan, { tenantId: 'small' });
    const { host } = world.host(null, { capacity: 10 });
    await host.start();
    await until(world.clock, () => world.ended('small'));
    expect(world.endings.indexOf('small')).toBeLessThan(60);
    await until(world.clock, () => world.endings.length === 601);
  });

  it('share a host between tenants while one of them exceeds its capacity', async () => {
    const world = new World();
    const plan = world.plan([effect('e')]);
    const landing: (() => void)[] = [];
    world.answers.set('e', () => new Promise((resolve) => landing.push(() => resolve({ kind: 'done', output: {} }))));
    for (let n = 0; n < 200; n++) {
      waiting(world, `a${n}`, plan, { tenantId: 'a', wakeAt: world.clock.now() - 10_000 });
      waiting(world, `b${n}`, plan, { tenantId: 'b' });
    }
    const { host } = world.host(null, { capacity: 10 });
    await host.start();
    await settle(20);
    const here = [...world.db.executions.values()].filter(({ owner }) => owner !== null);
    expect(here).toHaveLength(10);
    expect(here.filter(({ tenantId }) => tenantId === 'b').length).toBeGreaterThanOrEqual(3);
    await until(world.clock, () => {
      while (landing.length > 0) landing.shift()?.();
      return world.endings.length === 400;
    });
  });

  it('by several hosts at once claim each run once, without retries of the others', async () => {
    const world = new World();
    const plan = world.plan([effect('e')]);
    for (let n = 0; n < 300; n++) waiting(world, `r${n}`, plan);
    const asked: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { host, connection } = world.host(null, { capacity: 30 });
      connection.fails = (verb) => {
        if (verb === 'due' || verb === 'claim') asked.push(verb);
        return null;
      };
      await host.start();
    }
    await until(world.clock, () => world.endings.length === 300);
    expect([...world.db.executions.values()].every(({ epoch }) => epoch === 1)).toBe(true);
    expect(world.outside.ran.get('e')).toBe(300);
    expect(asked.length).toBeLessThan(400);
  });

  it('continue with other tenants while the limit of one is unknown', async () => {
    const world = new World();
    world.limitOf = async (tenant) => (tenant === 'odd' ? Promise.reject(new Error('no answer')) : null);
    const plan = world.plan([effect('e')]);
    waiting(world, 'odd', plan, { tenantId: 'odd', wakeAt: world.clock.now() - 5 });
    waiting(world, 'even', plan, { tenantId: 'even' });
    await world.host().host.start();
    await settle(12);
    expect([world.ended('odd'), world.ended('even')]).toEqual([false, true]);
  });
});

describe('a death', () => {
  it.each([1, 400, 999])(
    '%i ms after a renewal is seen when the lease lapses, not at the next round',
    async (after) => {
      const { world, hosts } = await machines(3);
      world.answers.set('e', (n) => (n === 1 ? never() : { kind: 'done', output: {} }));
      const plan = world.plan([effect('e')]);
      await hosts[0].begin(world.execution('a', plan), plan);
      await settle();
      for (const ms of [LEASE_MS / 4, after]) {
        world.clock.advance(ms);
        await settle();
      }
      world.hosts[0]?.connection.kill();
      const died = world.clock.now();
      await until(world.clock, () => world.ended('a'));
      expect(world.clock.now() - died).toBeLessThanOrEqual(LEASE_MS + 50 - after);
    },
  );

  it('is not detected in a host that renews, and needs no further sweeps', async () => {
    const { world } = await machines(3);
    let sweeps = 0;
    for (const { connection } of world.hosts)
      connection.fails = (verb) => {
        if (verb === 'expire') sweeps += 1;
        return null;
      };
    const before = world.clock.now();
    await until(world.clock, () => world.clock.now() - before >= 10 * LEASE_MS);
    expect(sweeps).toBeLessThanOrEqual(3 * 41);
    expect([...world.db.hosts.values()].every(({ state }) => state === 'alive')).toBe(true);
  });
});

describe('a host that stops', () => {
  it('updates its row at once', async () => {
    const { world, hosts } = await machines(1);
    const plan = world.plan([effect('e')]);
    world.answers.set('e', never);
    await hosts[0].begin(world.execution('a', plan), plan);
    await settle();
    void hosts[0].stop(5_000);
    await settle();
    expect(await world.client.hosts.rows()).toMatchObject([{ state: 'draining', running: 1, waiting: 0 }]);
    await until(world.clock, () => [...world.db.hosts.values()].every(({ state }) => state === 'left'));
  });

  it('broadcasts the runs that it releases, so that they continue on other hosts at once', async () => {
    const { world, hosts } = await machines(2);
    world.onReady = () => hosts[1]?.poke();
    const plan = world.plan([{ id: 'w', type: 'wait', config: { for: '900ms' } }, effect('e'), effect('f')]);
    const inFlight = world.plan([effect('g'), effect('h')]);
    let land = (): void => {};
    world.answers.set('g', () => new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} }))));
    await hosts[0].begin(world.execution('waits', plan), plan);
    await hosts[0].begin(world.execution('works', inFlight), inFlight);
    await settle();
    const before = world.clock.now();
    const stopped = hosts[0].stop(10_000);
    await settle();
    expect(world.row('waits').owner).not.toBe('host-1.1');
    land();
    await stopped;
    await settle(12);
    expect([world.ended('works'), world.clock.now() - before]).toEqual([true, 0]);
    expect(world.outside.ran.get('g')).toBe(1);
    await until(world.clock, () => world.ended('waits'));
    expect(world.clock.now() - before).toBeLessThanOrEqual(900);
  });

  it('broadcasts its aborted runs at the end of its grace period', async () => {
    const { world, hosts } = await machines(2);
    world.onReady = () => hosts[1]?.poke();
    const plan = world.plan([effect('e')]);
    world.answers.set('e', (n) => (n === 1 ? never() : { kind: 'done', output: {} }));
    await hosts[0].begin(world.execution('a', plan), plan);
    await settle();
    const before = world.clock.now();
    void hosts[0].stop(2_000);
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - before).toBe(2_000);
  });

  it('stores new runs, and other hosts start them at once', async () => {
    const { world, hosts } = await machines(2);
    world.onReady = () => hosts[1]?.poke();
    const plan = world.plan([effect('e')]);
    await hosts[0].stop(1_000);
    const before = world.clock.now();
    expect(await hosts[0].begin(world.execution('a', plan), plan)).toBe('stored');
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - before).toBeLessThanOrEqual(20);
  });

  it('announces work once for many runs', async () => {
    const { world, hosts } = await machines(1, { capacity: 1_000 });
    const plan = world.plan([{ id: 'w', type: 'wait', config: { for: '900ms' } }]);
    for (let n = 0; n < 200; n++) await hosts[0].begin(world.execution(`r${n}`, plan), plan);
    await settle();
    world.announced = 0;
    await hosts[0].stop(1_000);
    expect(world.announced).toBeGreaterThan(0);
    expect(world.announced).toBeLessThan(10);
    expect(world.clock.pending).toBe(0);
  });
});

describe('the row of a host', () => {
  it('counts active and waiting runs, and the delay of claims', async () => {
    const { world, hosts } = await machines(1);
    world.answers.set('e', never);
    const works = world.plan([effect('e')]);
    const waits = world.plan([{ id: 'w', type: 'wait', config: { for: '900ms' } }]);
    waiting(world, 'late', works, { wakeAt: world.clock.now() - 700 });
    await settle();
    world.clock.advance(LEASE_MS / 4 - 1);
    await hosts[0].begin(world.execution('a', waits), waits);
    await settle();
    hosts[0].poke();
    await settle();
    world.clock.advance(1);
    await settle();
    const [row] = await world.client.hosts.rows();
    expect(row).toMatchObject({ running: 1, waiting: 1, state: 'alive', capacity: 100, nodeId: 'node-1' });
    expect(row?.lagMs).toBeGreaterThanOrEqual(700);
    world.clock.advance(LEASE_MS / 4);
    await settle();
    expect((await world.client.hosts.rows())[0]?.lagMs).toBe(0);
  });
});

describe('a hint about a due run', () => {
  const listens: Json = { id: 'w', type: 'wait_for_signal', config: { signal: 'go' } };

  /** A host, and the offer of a run that a message has just made due. */
  async function offered(capacity = 100) {
    const { world, hosts } = await machines(1, { capacity });
    const plan = world.plan([listens, effect('e')]);
    await hosts[0].begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    // A look or two later nothing is left behind.
    world.clock.advance(2_500);
    await settle(20);
    const posted = await world.client.runs.addMessage('a', mail('m', { name: 'go' }), world.clock.now());
    if (posted.kind !== 'posted' || posted.due === null) throw new Error('It is not due');
    const searches = jest.spyOn((world.hosts[0] as (typeof world.hosts)[number]).connection.runs, 'due');
    return { world, host: hosts[0], due: posted.due, searches };
  }

  it('is claimed without a search if no other run waits', async () => {
    const { world, host, due, searches } = await offered();
    host.offer(due);
    await settle(20);
    expect(world.ended('a')).toBe(true);
    expect(searches).not.toHaveBeenCalled();
  });

  it('causes a search when the run has changed', async () => {
    const { world, host, due, searches } = await offered();
    host.offer({ ...due, epoch: due.epoch - 1 });
    await settle(20);
    expect(searches).toHaveBeenCalled();
    expect(world.ended('a')).toBe(true);
  });

  it('is queued after runs that exceeded the capacity', async () => {
    const { world, host, due } = await offered(1);
    let land = (): void => {};
    world.answers.set('long', () => new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} }))));
    const long = world.plan([effect('long')]);
    const older = { wakeAt: world.clock.now() - 10_000 };
    waiting(world, 'first', long, older);
    waiting(world, 'second', world.plan([effect('next')]), older);
    host.poke();
    await settle(20);
    host.offer(due);
    await settle(20);
    expect([world.row('first').owner, world.row('a').owner]).toEqual(['host-1.1', null]);
    land();
    await until(world.clock, () => world.endings.length === 3);
    expect(world.endings).toEqual(['first', 'second', 'a']);
  });
});

describe('a run whose plan is missing', () => {
  const gone = (): Promise<never> => Promise.reject(new AppError('not_found', 'There is no such plan'));

  it('is retried with growing intervals', async () => {
    const { world, hosts } = await machines(1);
    const plan = world.plan([effect('e')]);
    let tries = 0;
    world.readPlan = () => {
      tries += 1;
      return gone();
    };
    waiting(world, 'a', plan);
    hosts[0].poke();
    const before = world.clock.now();
    await until(world.clock, () => world.clock.now() - before > 600_000, 50_000);
    expect(tries).toBeGreaterThan(8);
    expect(tries).toBeLessThan(20);
  });

  it('ends as soon as it is cancelled, with its complete history', async () => {
    const { world, hosts } = await machines(1);
    const plan = world.plan([effect('e'), { id: 's', type: 'wait_for_signal', config: { signal: 'go' } }]);
    await hosts[0].begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    const before = world.entries('a').length;
    world.readPlan = gone;
    await world.send('a', { id: CANCEL, name: CANCEL });
    await settle(12);
    expect(world.row('a')).toMatchObject({ status: 'cancelled', owner: null, error: null });
    expect(world.entries('a').slice(before)).toMatchObject([
      { kind: 'step.cancelled', path: 's' },
      { kind: 'run.ended', status: 'cancelled' },
    ]);
    const records = (world.db.journals.get('a') ?? []).toSorted((a, b) => a.n - b.n);
    expect(records.map(({ n }) => n)).toEqual(records.map((_, index) => index + 1));
    expect(records.at(-1)?.before).toBe(before);
    expect(world.endings).toEqual(['a']);
  });

  it('is not ended by a temporary fault', async () => {
    const { world, hosts } = await machines(1);
    const plan = world.plan([{ id: 's', type: 'wait_for_signal', config: { signal: 'go' } }]);
    const { readPlan } = world;
    await hosts[0].begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    world.readPlan = () => Promise.reject(new AppError('unavailable', 'Not now'));
    await world.send('a', { id: CANCEL, name: CANCEL });
    await settle(12);
    expect(world.ended('a')).toBe(false);
    world.readPlan = readPlan;
    await until(world.clock, () => world.ended('a'));
  });
});

describe('runs that have grown', () => {
  const run = (size: number, draining = false) => ({ size, draining, drain: () => {} });

  it('are released, the largest first, until the rest fits; never the last one', () => {
    const [a, b, c] = [run(5), run(9), run(7)];
    expect(runsToShed([a, b, c], 12)).toEqual([b]);
    expect(runsToShed([a, b, c], 8)).toEqual([b, c]);
    expect(runsToShed([a, b, c], 1)).toEqual([b, c]);
    expect(runsToShed([a, b, c], 21)).toEqual([]);
    expect(runsToShed([run(50)], 1)).toEqual([]);
    expect(runsToShed([run(50, true), a, c], 12)).toEqual([]);
  });

  it('are released after the decision by which they grew', async () => {
    const events: string[] = [];
    const runs = [1, 2, 3].map((n) => ({
      size: n * MAX_HELD_CHARS,
      draining: false,
      drain: () => void events.push(`drain ${n}`),
    }));
    const burden = new MemoryBudget(() => runs);
    burden.add(6 * MAX_HELD_CHARS);
    events.push('decided');
    await settle(1);
    expect(events).toEqual(['decided', 'drain 3', 'drain 2']);
    expect([burden.overSoftLimit, burden.overHardLimit]).toEqual([true, true]);
  });

  it('continue on other hosts', async () => {
    const { world, hosts } = await machines(2);
    const text = (share: number): string => 'x'.repeat(MAX_HELD_CHARS * share);
    world.answers.set('e', (_, input) => ({
      kind: 'done',
      output: input.grows === true ? { text: text(0.45) } : { text: '' },
    }));
    let landing = false;
    let land = (): void => {};
    world.answers.set('f', (n) =>
      n === 1
        ? new Promise((resolve) => {
            landing = true;
            land = () => resolve({ kind: 'done', output: {} });
          })
        : never(),
    );
    const grows = world.plan([{ id: 'e', type: 'effect', config: { grows: true } }, effect('f'), effect('g')]);
    const stays = world.plan([{ id: 'h', type: 'effect', config: {} }]);
    world.answers.set('h', never);
    await hosts[0].begin(world.execution('stays', stays, { text: text(0.8) }), stays);
    expect(await hosts[0].begin(world.execution('grows', grows, { text: text(0.9) }), grows)).toBe('here');
    await until(world.clock, () => landing);
    await settle(8);
    land();
    await until(world.clock, () => world.ended('grows'));
    expect([world.row('grows').epoch, world.row('stays').epoch]).toEqual([2, 1]);
    expect([...world.outside.ran.values()]).toEqual([1, 1, 1, 1]);
  });
});
