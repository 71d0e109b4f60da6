import type { Json } from '../../../lib/json';
import { INITIAL_FIELDS } from '../../../runtime/worker/deps';
import type { Host } from '../../../runtime/worker/host';
import { CANCEL } from '../../../runtime/core/state/state';
import { MAX_CLEANUP_MS } from '../../../runtime/core/decide/due';
import { NEVER_MS } from '../../../runtime/core/model';
import { Chance } from '../../chaos/chance';
import { settle, until } from '../../support/manual-clock';
import { LEASE_MS, World } from '../../support/runtime/world';

const effect = (id: string): Json => ({ id, type: 'effect', config: {} });
const signal: Json = { id: 's', type: 'wait_for_signal', config: { signal: 'go' } };
const SOON_MS = LEASE_MS / 4 + 100;

/** A world with some hosts that have started, and a tenant with a limit. */
async function machines(count: number, limit: number | null, options: { capacity?: number } = {}) {
  const world = new World();
  world.limitOf = async () => limit;
  const hosts: Host[] = [];
  for (let n = 0; n < count; n++) {
    const { host } = world.host(null, options);
    await host.start();
    hosts.push(host);
  }
  return { world, hosts: hosts as [Host, ...Host[]] };
}

/** Effects that the test completes, the oldest first. */
function pendingEffects(world: World, step = 'e') {
  const waiting: (() => void)[] = [];
  world.answers.set(step, () => new Promise((resolve) => waiting.push(() => resolve({ kind: 'done', output: {} }))));
  return waiting;
}

const taken = (world: World): number =>
  [...world.db.ledgers.values()].flatMap(({ allocations: shares }) => shares).reduce((sum, { n }) => sum + n, 0);
const inMemory = (hosts: readonly Host[]): number => hosts.reduce((sum, host) => sum + host.running, 0);

describe('a run over its tenant’s limit', () => {
  it('is stored, shows the reason of its wait, is not due, and starts as soon as a slot is free', async () => {
    const { world, hosts } = await machines(1, 1);
    const pending = pendingEffects(world);
    const plan = world.plan([effect('e')]);
    expect(await hosts[0].begin(world.execution('a', plan), plan)).toBe('here');
    expect(await hosts[0].begin(world.execution('b', plan), plan)).toBe('stored');
    expect(world.row('b')).toMatchObject({
      owner: null,
      parked: true,
      wakeAt: NEVER_MS,
      waiting: [{ kind: 'slot', name: null, until: null }],
    });
    const before = world.clock.now();
    await settle();
    pending.shift()?.();
    await settle(12);
    pending.shift()?.();
    await settle();
    expect([world.ended('a'), world.ended('b'), world.clock.now() - before]).toEqual([true, true, 0]);
    expect(world.row('b').parked).toBe(false);
  });

  it('is queued after those that wait already, also on a host with a free slot', async () => {
    const { world, hosts } = await machines(1, 1);
    const pending = pendingEffects(world);
    const plan = world.plan([effect('e')]);
    for (const id of ['a', 'b', 'c', 'd']) {
      await hosts[0].begin(world.execution(id, plan), plan);
      world.clock.advance(1);
    }
    await until(world.clock, () => {
      pending.shift()?.();
      return world.endings.length === 4;
    });
    expect(world.endings).toEqual(['a', 'b', 'c', 'd']);
  });

  it('starts on a host with a free slot, within a quarter of a lease', async () => {
    const { world, hosts } = await machines(2, 4);
    const pending = pendingEffects(world);
    const plan = world.plan([effect('e')]);
    // The first host takes all four.
    for (const id of ['a', 'b', 'c', 'd']) await hosts[0].begin(world.execution(id, plan), plan);
    expect(await hosts[1]?.begin(world.execution('x', plan), plan)).toBe('stored');
    await settle();
    const before = world.clock.now();
    pending.shift()?.();
    await until(world.clock, () => world.row('x').owner !== null);
    expect(world.clock.now() - before).toBeLessThanOrEqual(SOON_MS);
    expect(inMemory(hosts)).toBe(4);
  });

  it('starts on another host soon after the death of the host with the slots', async () => {
    const { world, hosts } = await machines(2, 1);
    world.answers.set('e', (n) => (n === 1 ? new Promise<never>(() => {}) : { kind: 'done', output: {} }));
    const plan = world.plan([effect('e')]);
    await hosts[0].begin(world.execution('a', plan), plan);
    await hosts[1]?.begin(world.execution('b', plan), plan);
    await settle();
    world.hosts[0]?.connection.kill();
    const died = world.clock.now();
    await until(world.clock, () => world.ended('a') && world.ended('b'));
    expect(world.clock.now() - died).toBeLessThanOrEqual(LEASE_MS + SOON_MS);
  });

  it('is found by a sweep when no host remembers it', async () => {
    const { world, hosts } = await machines(1, 1);
    const plan = world.plan([effect('e')]);
    const lost = {
      ...world.execution('a', plan),
      ...INITIAL_FIELDS,
      owner: null,
      epoch: 0,
      wakeAt: NEVER_MS,
      parked: true,
    };
    await world.client.runs.insert(lost);
    const before = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - before).toBeLessThanOrEqual(SOON_MS);
    expect(hosts[0].running).toBe(0);
  });

  it('begins when the limit is raised', async () => {
    const { world, hosts } = await machines(1, 0);
    const plan = world.plan([effect('e')]);
    for (const id of ['a', 'b']) expect(await hosts[0].begin(world.execution(id, plan), plan)).toBe('stored');
    await until(world.clock, () => world.clock.now() % 3_000 === 0);
    expect(world.ended('a')).toBe(false);
    world.limitOf = async () => null;
    const before = world.clock.now();
    await until(world.clock, () => world.endings.length === 2);
    expect(world.clock.now() - before).toBeLessThanOrEqual(SOON_MS);
  });

  it('ends at its deadline without having started', async () => {
    const { world, hosts } = await machines(1, 0);
    const plan = world.plan([effect('e')], { settings: { timeout: '5s' } });
    await hosts[0].begin(world.execution('a', plan, {}, { deadlineAt: world.clock.now() + 5_000 }), plan);
    const before = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
    expect(world.clock.now() - before).toBeLessThan(6_500);
    expect(world.outside.ran.size).toBe(0);
  });

  it('is cancelled at once, for any limit', async () => {
    const { world, hosts } = await machines(1, 0);
    const plan = world.plan([effect('e')]);
    await hosts[0].begin(world.execution('a', plan), plan);
    await world.send('a', { id: CANCEL, name: CANCEL });
    await settle(12);
    expect(world.row('a')).toMatchObject({ status: 'cancelled', parked: false });
    expect(taken(world)).toBe(0);
  });
});

describe('a parked run that ends and has to clean up', () => {
  const rescued: Json = { id: 't', type: 'try', steps: [signal], finally: [effect('f')] };
  const cancel = { id: CANCEL, name: CANCEL } as const;
  const kindsOf = (world: World, id: string) => world.entries(id).map(({ kind }) => kind);

  /** One slot; `w` waits with a block to clean up, and `a` has the slot until its effect completes. */
  async function busy() {
    const { world, hosts } = await machines(1, 1);
    const pending = pendingEffects(world);
    const waits = world.plan([rescued]);
    const works = world.plan([effect('e')]);
    await hosts[0].begin(world.execution('w', waits), waits);
    await settle();
    await hosts[0].begin(world.execution('a', works), works);
    await settle();
    return { world, hosts, pending };
  }

  /** Cancels the run that waits, until it is parked again. */
  async function cancelled(world: World): Promise<void> {
    await world.send('w', cancel);
    await until(world.clock, () => world.row('w').parked);
  }

  it('records its end at once, for any limit, and cleans up when a slot is free', async () => {
    const { world, pending } = await busy();
    const before = world.clock.now();
    await cancelled(world);
    expect(world.clock.now()).toBe(before);
    expect(kindsOf(world, 'w')).toContain('run.closing');
    expect(world.row('w')).toMatchObject({ status: 'running', waiting: [{ kind: 'slot' }] });
    expect(world.outside.ran.has('t/finally/f')).toBe(false);
    pending.shift()?.();
    await settle(12);
    expect(world.row('w').status).toBe('cancelled');
    expect(world.outside.ran.get('t/finally/f')).toBe(1);
  });

  it('does the same when the cancellation is repeated', async () => {
    const { world, hosts, pending } = await busy();
    for (let n = 0; n < 3; n++) {
      await cancelled(world);
      await settle(12);
    }
    expect([hosts[0].running, world.outside.ran.has('t/finally/f')]).toEqual([1, false]);
    pending.shift()?.();
    await settle(12);
    expect(world.row('w').status).toBe('cancelled');
  });

  it('cleans up at once if a slot is free', async () => {
    const { world, pending } = await busy();
    pending.shift()?.();
    await settle();
    const before = world.clock.now();
    await world.send('w', cancel);
    await settle(20);
    expect([world.row('w').status, world.clock.now() - before]).toEqual(['cancelled', 0]);
  });

  it('is parked when it has never started, because its handler needs a slot', async () => {
    const { world, hosts, pending } = await busy();
    const plan = world.plan([effect('e')], { on_error: [effect('tell')], settings: { timeout: '5s' } });
    await hosts[0].begin(world.execution('late', plan, {}, { deadlineAt: world.clock.now() + 5_000 }), plan);
    await until(world.clock, () => kindsOf(world, 'late').includes('run.closing'));
    await until(world.clock, () => world.row('late').parked);
    expect(world.outside.ran.has('.on_error/tell')).toBe(false);
    pending.shift()?.();
    await until(world.clock, () => world.ended('late'));
    expect(world.row('late')).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
    expect(world.outside.ran.get('.on_error/tell')).toBe(1);
  });

  it('ends without cleanup after the cleanup deadline', async () => {
    const { world } = await busy();
    const closing = world.clock.now();
    await cancelled(world);
    world.limitOf = async () => 0;
    expect(world.row('w').wakeAt).toBe(closing + MAX_CLEANUP_MS);
    await until(world.clock, () => world.ended('w'), 100_000);
    expect(world.clock.now() - closing).toBeLessThan(MAX_CLEANUP_MS + 2_000);
    expect(world.outside.ran.has('t/finally/f')).toBe(false);
  }, 60_000);

  it('continues on another host with a slot when its host has died', async () => {
    const { world, pending } = await busy();
    await cancelled(world);
    pending.shift()?.();
    world.answers.set('t/finally/f', (n) => (n === 1 ? new Promise<never>(() => {}) : { kind: 'done', output: {} }));
    await until(world.clock, () => world.outside.ran.has('t/finally/f'));
    world.hosts[0]?.connection.kill();
    await world.host().host.start();
    await until(world.clock, () => world.ended('w'));
    expect(world.row('w').status).toBe('cancelled');
    await until(world.clock, () => taken(world) === 0);
  });
});

describe('a run that waits', () => {
  it('has no slot, and takes one again to continue', async () => {
    const { world, hosts } = await machines(1, 1);
    const pending = pendingEffects(world);
    const waits = world.plan([signal]);
    const works = world.plan([effect('e')]);
    await hosts[0].begin(world.execution('w', waits), waits);
    await settle();
    expect(world.row('w').owner).toBeNull();
    expect(await hosts[0].begin(world.execution('a', works), works)).toBe('here');
    await settle();
    await world.send('w', { id: 'm', name: 'go', data: { v: 1 } });
    await settle(12);
    expect(world.row('w')).toMatchObject({ owner: null, parked: true, messageSeq: 1, waiting: [{ kind: 'slot' }] });
    pending.shift()?.();
    await settle(12);
    expect(world.row('w')).toMatchObject({ status: 'completed', output: { v: 1 } });
  });
});

describe('a slot', () => {
  it('is released by a start whose id is known', async () => {
    const { world, hosts } = await machines(2, 2);
    const plan = world.plan([signal]);
    await hosts[0].begin(world.execution('a', plan), plan);
    for (let n = 0; n < 5; n++) expect(await hosts[1]?.begin(world.execution('a', plan), plan)).toBe('exists');
    await settle();
    expect(await hosts[1]?.begin(world.execution('b', plan), plan)).toBe('here');
  });

  it('is released by a start that could not be stored', async () => {
    const { world, hosts } = await machines(1, 1);
    const plan = world.plan([effect('e')]);
    const { connection } = world.hosts[0] as (typeof world.hosts)[number];
    connection.fails = (verb) => (verb === 'insert' ? 'before' : null);
    for (let n = 0; n < 3; n++)
      await expect(hosts[0].begin(world.execution('a', plan), plan)).rejects.toThrow('no connection');
    connection.fails = () => null;
    expect(await hosts[0].begin(world.execution('a', plan), plan)).toBe('here');
  });

  it('is released by a fenced host, which allocates its next ones under its new id', async () => {
    const { world, hosts } = await machines(1, 1);
    world.answers.set('e', (n) => (n === 1 ? new Promise<never>(() => {}) : { kind: 'done', output: {} }));
    const plan = world.plan([effect('e')]);
    const { connection } = world.hosts[0] as (typeof world.hosts)[number];
    await hosts[0].begin(world.execution('a', plan), plan);
    connection.fails = (verb) => (['renew', 'register', 'expire'].includes(verb) ? 'before' : null);
    await until(world.clock, () => !hosts[0].ready);
    connection.fails = () => null;
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').status).toBe('completed');
  });

  it('is not allocated once no run is left', async () => {
    const { world, hosts } = await machines(3, 50);
    const plan = world.plan([effect('e')]);
    for (let n = 0; n < 90; n++) await hosts[n % 3]?.begin(world.execution(`r${n}`, plan), plan);
    await until(world.clock, () => world.endings.length === 90);
    expect(taken(world)).toBeGreaterThan(0);
    const before = world.clock.now();
    await until(world.clock, () => world.clock.now() - before >= 2 * LEASE_MS);
    expect(taken(world)).toBe(0);
  });

  it('is not available while the limit is unknown: the run is stored, and begins later', async () => {
    const { world, hosts } = await machines(1, 1);
    const plan = world.plan([effect('e')]);
    const { limitOf } = world;
    world.limitOf = () => Promise.reject(new Error('no answer'));
    expect(await hosts[0].begin(world.execution('a', plan), plan)).toBe('stored');
    expect(world.row('a')).toMatchObject({ parked: false, waiting: [{ kind: 'capacity' }] });
    const before = world.clock.now();
    await until(world.clock, () => world.clock.now() - before > 5_000);
    expect(world.faults.length).toBeLessThan(15);
    world.limitOf = limitOf;
    await until(world.clock, () => world.ended('a'));
  });
});

describe('ten thousand parked runs of a tenant', () => {
  it('slow neither a start nor a claim of another tenant', async () => {
    const world = new World();
    world.limitOf = async (tenant) => (tenant === 'big' ? 3 : 50);
    world.answers.set('e', (_, input) =>
      input.big === true ? new Promise<never>(() => {}) : { kind: 'done', output: {} },
    );
    const plan = world.plan([{ id: 'e', type: 'effect', config: { big: '{{ trigger.big }}' } }]);
    const parked = { ...INITIAL_FIELDS, owner: null, epoch: 0, wakeAt: NEVER_MS, parked: true };
    for (let n = 0; n < 10_000; n++) {
      const run = world.execution(`big${n}`, plan, { big: true }, { tenantId: 'big' });
      world.db.executions.set(run.id, { ...run, ...parked });
    }
    const { host, connection } = world.host();
    await host.start();
    await until(world.clock, () => host.running === 3);
    const looks: string[] = [];
    connection.fails = (verb) => {
      looks.push(verb);
      return null;
    };
    expect(await host.begin(world.execution('begun', plan, {}, { tenantId: 'small' }), plan)).toBe('here');
    await world.client.runs.insert({
      ...world.execution('due', plan, {}, { tenantId: 'small' }),
      ...INITIAL_FIELDS,
      owner: null,
      epoch: 0,
      wakeAt: world.clock.now(),
    });
    host.poke();
    await settle(8);
    expect([world.ended('begun'), world.ended('due')]).toEqual([true, true]);
    expect(looks.length).toBeLessThan(20);
  }, 60_000);
});

describe('hosts with a common slot pool', () => {
  it.each([1, 2, 3, 4])(
    'never exceed a limit, lose no run, and leak no slot, whatever dies (seed %i)',
    async (seed) => {
      const random = new Chance(seed);
      const limits = new Map([0, 1, 2].map((n) => [`t${n}`, random.between(1, 6)]));
      const world = new World();
      world.limitOf = async (tenant) => limits.get(tenant) ?? null;
      const plan = world.plan([effect('e'), { id: 'w', type: 'wait', config: { for: '1500ms' } }, effect('f')]);
      for (const step of ['e', 'f'])
        world.answers.set(step, async () => {
          await new Promise<void>((resolve) => world.clock.after(random.between(1, 900), resolve));
          return { kind: 'done', output: {} };
        });
      const living = () => world.hosts.filter(({ connection }) => !connection.dead);
      const another = () => world.host(null, { capacity: 8 }).host.start();
      for (let n = 0; n < 3; n++) await another();
      let max = 0;
      const withinLimits = (): void => {
        for (const [tenant, limit] of limits) {
          const runs = [...world.db.executions.values()].filter(({ tenantId }) => tenantId === tenant);
          const here = runs.filter(({ owner }) => owner !== null && !hasDied(world, owner)).length;
          max = Math.max(max, here);
          expect(here).toBeLessThanOrEqual(limit);
        }
      };
      for (let n = 0; n < 40; n++) {
        const { host } = living()[random.between(0, living().length - 1)] as (typeof world.hosts)[number];
        const run = world.execution(`r${n}`, plan, {}, { tenantId: `t${n % 3}` });
        await world.client.runs.insert({ ...run, ...INITIAL_FIELDS, owner: null, epoch: 0, wakeAt: world.clock.now() });
        void host.begin({ ...run, id: `b${n}` }, plan);
        if (n === 10 || n === 25) {
          living()[0]?.connection.kill();
          await another();
        }
        await settle(2);
        world.clock.step();
        withinLimits();
      }
      await until(
        world.clock,
        () => {
          withinLimits();
          return [...world.db.executions.values()].every(({ status }) => status !== 'running');
        },
        60_000,
      );
      expect(max).toBeGreaterThan(1);
      const quiet = world.clock.now();
      await until(world.clock, () => world.clock.now() - quiet >= 3 * LEASE_MS);
      expect(taken(world)).toBe(0);
    },
  );
});

/** Whether the process of that host has ended; its lease may still be valid. */
const hasDied = (world: World, owner: string): boolean =>
  world.hosts.some(({ connection }, index) => connection.dead && owner.startsWith(`host-${index + 1}.`));

describe('H10: a tenant whose limit becomes 0', () => {
  it('has no runs in memory on any host once attempts in flight are finished, and they go on when it has slots again', async () => {
    const { world, hosts } = await machines(2, null);
    const pending = pendingEffects(world);
    const plan = world.plan([effect('e'), effect('f')]);
    const begun: string[] = [];
    world.answers.set('f', () => {
      begun.push('f');
      return Promise.resolve({ kind: 'done', output: {} });
    });
    await hosts[0].begin(world.execution('a', plan), plan);
    await hosts[1]?.begin(world.execution('b', plan), plan);
    world.limitOf = async () => 0;
    await until(world.clock, () => world.clock.now() > 0 && pending.length === 2);
    world.clock.advance(SOON_MS);
    await settle(12);
    expect(inMemory(hosts)).toBe(2);
    for (const finish of pending.splice(0)) finish();
    await until(world.clock, () => world.row('a').parked === true && world.row('b').parked === true);
    expect([inMemory(hosts), begun, world.endings]).toEqual([0, [], []]);
    expect(await hosts[0].begin(world.execution('c', plan), plan)).toBe('stored');
    world.limitOf = async () => null;
    await until(world.clock, () => {
      pending.shift()?.();
      return world.endings.length === 3;
    });
  });
});
