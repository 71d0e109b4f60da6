import type { Json } from '../../../lib/json';
import { AppError } from '../../../lib/errors';
import { Burden, HELD_LIMIT, tooHeavy } from '../../../runtime/host/burden';
import { untold } from '../../../runtime/host/deps';
import type { Host } from '../../../runtime/host/host';
import { CANCEL } from '../../../runtime/record/state';
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
  const run = { ...world.execution(id, plan), ...untold, owner: null, epoch: 0, wakeAt: world.clock.now(), ...given };
  world.db.executions.set(id, run);
};

describe('claims', () => {
  it('reach the one run of a tenant behind a backlog of another, before that is worked off', async () => {
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

  it('share a host between tenants while one of them has more than it can take', async () => {
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

  it('by several hosts at once take each run once, and the losers do not run after them', async () => {
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

  it('go on with other tenants while the limit of one cannot be told', async () => {
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

  it('is not seen in a host that renews, and costs no further looks', async () => {
    const { world } = await machines(3);
    let looks = 0;
    for (const { connection } of world.hosts)
      connection.fails = (verb) => {
        if (verb === 'bury') looks += 1;
        return null;
      };
    const before = world.clock.now();
    await until(world.clock, () => world.clock.now() - before >= 10 * LEASE_MS);
    expect(looks).toBeLessThanOrEqual(3 * 41);
    expect([...world.db.hosts.values()].every(({ state }) => state === 'alive')).toBe(true);
  });
});

describe('a host that stops', () => {
  it('says so at once, in its row', async () => {
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

  it('tells others of what it gives back, so that it goes on elsewhere at once', async () => {
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

  it('tells others of what it had in flight at the end of its grace', async () => {
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

  it('stores what it is still asked to begin, and others begin it at once', async () => {
    const { world, hosts } = await machines(2);
    world.onReady = () => hosts[1]?.poke();
    const plan = world.plan([effect('e')]);
    await hosts[0].stop(1_000);
    const before = world.clock.now();
    expect(await hosts[0].begin(world.execution('a', plan), plan)).toBe('stored');
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - before).toBeLessThanOrEqual(20);
  });

  it('says once, not a thousand times, that there is work', async () => {
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
  it('tells runs that work from runs that wait, and how late claims were', async () => {
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

describe('a run that is said to be due', () => {
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
    const posted = await world.client.runs.post('a', mail('m', { name: 'go' }), world.clock.now());
    if (posted.kind !== 'posted' || posted.due === null) throw new Error('It is not due');
    const searches = jest.spyOn((world.hosts[0] as (typeof world.hosts)[number]).connection.runs, 'due');
    return { world, host: hosts[0], due: posted.due, searches };
  }

  it('is taken up without a search where nothing else waits', async () => {
    const { world, host, due, searches } = await offered();
    host.offer(due);
    await settle(20);
    expect(world.ended('a')).toBe(true);
    expect(searches).not.toHaveBeenCalled();
  });

  it('is looked for when it is no more as it was then', async () => {
    const { world, host, due, searches } = await offered();
    host.offer({ ...due, epoch: due.epoch - 1 });
    await settle(20);
    expect(searches).toHaveBeenCalled();
    expect(world.ended('a')).toBe(true);
  });

  it('waits its turn behind what the host has had no room for', async () => {
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

describe('a run whose plan is gone', () => {
  const gone = (): Promise<never> => Promise.reject(new AppError('not_found', 'There is no such plan'));

  it('is looked at ever more seldom', async () => {
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

  it('ends as soon as it is cancelled, with its history whole', async () => {
    const { world, hosts } = await machines(1);
    const plan = world.plan([effect('e'), { id: 's', type: 'wait_for_signal', config: { signal: 'go' } }]);
    await hosts[0].begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    const before = world.entries('a').length;
    world.readPlan = gone;
    await world.send('a', { id: CANCEL, name: CANCEL });
    await settle(12);
    expect(world.row('a')).toMatchObject({ status: 'cancelled', owner: null, error: null });
    expect(world.entries('a').slice(before)).toMatchObject([{ kind: 'run.ended', status: 'cancelled' }]);
    const records = (world.db.journals.get('a') ?? []).toSorted((a, b) => a.n - b.n);
    expect(records.map(({ n }) => n)).toEqual(records.map((_, index) => index + 1));
    expect(records.at(-1)?.before).toBe(before);
    expect(world.endings).toEqual(['a']);
  });

  it('is not ended by a fault that may pass', async () => {
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
  const run = (weight: number, draining = false) => ({ weight, draining, drain: () => {} });

  it('are given back, the heaviest first, until the rest fits; never the last one', () => {
    const [a, b, c] = [run(5), run(9), run(7)];
    expect(tooHeavy([a, b, c], 12)).toEqual([b]);
    expect(tooHeavy([a, b, c], 8)).toEqual([b, c]);
    expect(tooHeavy([a, b, c], 1)).toEqual([b, c]);
    expect(tooHeavy([a, b, c], 21)).toEqual([]);
    expect(tooHeavy([run(50)], 1)).toEqual([]);
    expect(tooHeavy([run(50, true), a, c], 12)).toEqual([]);
  });

  it('are told to go after the decision by which they grew', async () => {
    const told: string[] = [];
    const runs = [1, 2, 3].map((n) => ({
      weight: n * HELD_LIMIT,
      draining: false,
      drain: () => void told.push(`drain ${n}`),
    }));
    const burden = new Burden(() => runs);
    burden.add(6 * HELD_LIMIT);
    told.push('decided');
    await settle(1);
    expect(told).toEqual(['decided', 'drain 3', 'drain 2']);
    expect([burden.heavy, burden.tooHeavy]).toEqual([true, true]);
  });

  it('go on elsewhere', async () => {
    const { world, hosts } = await machines(2);
    const text = (share: number): string => 'x'.repeat(HELD_LIMIT * share);
    world.answers.set('e', (_, input) => ({
      kind: 'done',
      output: input.grows === true ? { text: text(0.45) } : { text: '' },
    }));
    let land = (): void => {};
    world.answers.set('f', (n) =>
      n === 1 ? new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} }))) : never(),
    );
    const grows = world.plan([{ id: 'e', type: 'effect', config: { grows: true } }, effect('f'), effect('g')]);
    const stays = world.plan([{ id: 'h', type: 'effect', config: {} }]);
    world.answers.set('h', never);
    await hosts[0].begin(world.execution('stays', stays, { text: text(0.8) }), stays);
    expect(await hosts[0].begin(world.execution('grows', grows, { text: text(0.9) }), grows)).toBe('here');
    await settle(8);
    land();
    await until(world.clock, () => world.ended('grows'));
    expect([world.row('grows').epoch, world.row('stays').epoch]).toEqual([2, 1]);
    expect([...world.outside.ran.values()]).toEqual([1, 1, 1, 1]);
  });
});
