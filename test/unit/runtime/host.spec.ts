import type { Json } from '../../../lib/json';
import type { Message } from '../../../runtime/core/state/state';
import { MAX_HELD_CHARS } from '../../../runtime/worker/memory-budget';
import { INITIAL_FIELDS } from '../../../runtime/worker/deps';
import { CANCEL } from '../../../runtime/core/decide/waits';
import { settle, until } from '../../support/manual-clock';
import { ready } from '../../support/runtime/records';
import { LEASE_MS, World } from '../../support/runtime/world';

const effect = (id: string): Json => ({ id, type: 'effect', config: {} });
const nap = (id: string, time: string): Json => ({ id, type: 'wait', config: { for: time } });
const never = (): Promise<never> => new Promise(() => {});

/** A world with one host that has started. */
async function oneHost(options: { capacity?: number } = {}) {
  const world = new World();
  const { host, connection } = world.host(null, options);
  await host.start();
  return { world, host, connection };
}

describe('a host that loses its lease', () => {
  const silent = async (begin: boolean) => {
    const { world, host, connection } = await oneHost();
    world.answers.set('e', never);
    const plan = world.plan([effect('e')]);
    if (begin) await host.begin(world.execution('a', plan), plan);
    const release = connection.hold('renew');
    const from = world.faults.length;
    await until(world.clock, () => world.clock.now() >= Date.UTC(2026, 0, 1) + 2 * LEASE_MS);
    release();
    return world.faults.slice(from).map(String);
  };

  it('reports what happens to its runs', async () => {
    const faults = (await silent(true)).filter((fault) => fault.startsWith('LeaseLost'));
    expect(faults.join()).toMatch(/^LeaseLost: Host host-1.1 lost its lease: .* 1 of its runs continue/);
  });

  it('reports nothing when it has no runs', async () => {
    expect((await silent(false)).join()).not.toContain('LeaseLost');
  });
});

describe('a wrong hint about a run', () => {
  it.each([
    ['a cancelled one', { cancelling: true }],
    ['one that is over its time', { deadlineAt: 1 }],
    ['one of another tenant', { tenantId: 'other' }],
  ])('with %s does not bypass the limit of its tenant', async (_, wrong) => {
    const { world, host } = await oneHost();
    world.limitOf = async () => 1;
    world.answers.set('e', never);
    const plan = world.plan([effect('e')]);
    await host.begin(world.execution('first', plan), plan);
    await settle();
    world.db.executions.set('x', ready('x', world.clock.now(), { planHash: plan.plan.hash }));
    const about = { id: 'x', tenantId: 'tenant', epoch: 0, since: 0, deadlineAt: null, parked: false, claims: 0 };
    host.offer({ ...about, cancelling: false, ...wrong });
    await settle(12);
    expect(world.outside.ran.get('e')).toBe(1);
    expect(host.running).toBe(1);
    expect(world.row('x')).toMatchObject({ owner: null, status: 'running' });
  });
});

describe('a start', () => {
  it('whose id is being started returns "exists" only when the run is stored', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([nap('w', '1h')]);
    const release = connection.hold('insert');
    const first = host.begin(world.execution('a', plan), plan);
    let second: string | null = null;
    void host.begin(world.execution('a', plan), plan).then((began) => (second = began));
    await settle();
    expect(second).toBeNull();
    release();
    expect(await first).toBe('here');
    await settle();
    expect(second).toBe('exists');
    expect(world.db.executions.has('a')).toBe(true);
  });

  it('whose id is waiting out of memory changes nothing, and the run ends once', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e'), nap('w', '1m'), effect('f')]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    const before = world.entries('a');
    expect(await host.begin(world.execution('a', plan), plan)).toBe('exists');
    await settle();
    expect(world.entries('a')).toEqual(before);
    expect(world.row('a')).toMatchObject({ owner: null, epoch: 1 });
    await until(world.clock, () => world.ended('a'));
    expect([...world.outside.ran.values()]).toEqual([1, 1]);
    expect(world.endings).toEqual(['a']);
  });

  it('whose insert failed is refused, and succeeds when asked again', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    connection.fails = (verb) => (verb === 'insert' ? 'before' : null);
    await expect(host.begin(world.execution('a', plan), plan)).rejects.toThrow('no connection');
    connection.fails = () => null;
    expect(host.running).toBe(0);
    expect(await host.begin(world.execution('a', plan), plan)).toBe('here');
    await until(world.clock, () => world.ended('a'));
    expect(world.outside.ran.get('e')).toBe(1);
  });

  it('whose answer was lost is run', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    connection.fails = (verb) => (verb === 'insert' ? 'after' : null);
    await expect(host.begin(world.execution('a', plan), plan)).rejects.toThrow('lost');
    connection.fails = () => null;
    const began = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - began).toBeLessThanOrEqual(LEASE_MS);
    expect(world.outside.ran.get('e')).toBe(1);
  });

  it('on a full host is stored, says so, and begins when there is room', async () => {
    const { world, host } = await oneHost({ capacity: 1 });
    const plan = world.plan([effect('e')]);
    let land = (): void => {};
    world.answers.set('e', () => new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} }))));
    await host.begin(world.execution('a', plan), plan);
    expect(await host.begin(world.execution('b', plan), plan)).toBe('stored');
    await settle();
    expect(world.row('b')).toMatchObject({ owner: null, waiting: [{ kind: 'capacity' }] });
    const before = world.clock.now();
    land();
    await settle();
    land();
    await settle();
    expect([world.ended('a'), world.ended('b')]).toEqual([true, true]);
    expect(world.clock.now()).toBe(before);
  });

  it('is stored only, while the runs that are here hold much, and begins when they have ended', async () => {
    const { world, host } = await oneHost();
    const done = new Map<string, () => void>();
    world.answers.set('e', () => new Promise((resolve) => done.set('e', () => resolve({ kind: 'done', output: {} }))));
    const heavy = world.plan([{ id: 'e', type: 'effect', config: {} }]);
    const light = world.plan([{ id: 'l', type: 'set', config: {} }]);
    const trigger = { body: 'x'.repeat(MAX_HELD_CHARS + 1) };
    expect(await host.begin(world.execution('heavy', heavy, trigger), heavy)).toBe('here');
    expect(await host.begin(world.execution('light', light), light)).toBe('stored');
    await until(world.clock, () => done.size === 1);
    expect(world.row('light')).toMatchObject({ status: 'running', owner: null, waiting: [{ kind: 'capacity' }] });

    done.get('e')?.();

    await until(world.clock, () => world.ended('heavy') && world.ended('light'));
    expect(world.row('light').status).toBe('completed');
  });
});

describe('taking over', () => {
  it('begins within 5 s of the death of a host', async () => {
    const world = new World();
    const first = world.host();
    await first.host.start();
    const second = world.host();
    await second.host.start();
    const plan = world.plan([effect('e')]);
    world.answers.set('e', (n) => (n === 1 ? never() : { kind: 'done', output: {} }));
    await first.host.begin(world.execution('a', plan), plan);
    await settle();
    // Just after a renewal is the worst moment.
    world.clock.advance(LEASE_MS / 4);
    await settle();
    first.connection.kill();
    const died = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - died).toBeLessThanOrEqual(5_000);
    expect(world.outside.ran.get('e')).toBe(2);
  });

  it('of a thousand runs goes oldest first, each once, and never exceeds the capacity', async () => {
    const world = new World();
    const plan = world.plan([{ id: 's', type: 'set', config: { v: 1 } }]);
    for (let n = 0; n < 1_000; n++) {
      const execution = world.execution(`r${String(n).padStart(4, '0')}`, plan);
      await world.client.runs.insert({
        ...execution,
        owner: null,
        epoch: 0,
        wakeAt: world.clock.now() - 1_000 + n,
        ...INITIAL_FIELDS,
      });
    }
    const { host } = world.host(null, { capacity: 100 });
    await host.start();
    let max = 0;
    await until(world.clock, () => {
      max = Math.max(max, [...world.db.executions.values()].filter(({ owner }) => owner !== null).length);
      return world.endings.length === 1_000;
    });
    expect(max).toBeLessThanOrEqual(100);
    expect(world.endings).toEqual([...world.endings].sort());
    expect([...world.db.executions.values()].every(({ epoch }) => epoch === 1)).toBe(true);
  });

  it('of large runs stops at the memory limit, and continues as they end', async () => {
    const world = new World();
    const plan = world.plan([effect('e')]);
    const landing: (() => void)[] = [];
    world.answers.set('e', () => new Promise((resolve) => landing.push(() => resolve({ kind: 'done', output: {} }))));
    const trigger = { body: 'x'.repeat(MAX_HELD_CHARS / 8) };
    const ids = Array.from({ length: 24 }, (_, index) => `r${index}`);
    for (const id of ids) {
      const stored = { owner: null, epoch: 0, wakeAt: world.clock.now(), ...INITIAL_FIELDS };
      await world.client.runs.insert({ ...world.execution(id, plan, trigger), ...stored });
    }
    const { host } = world.host();
    await host.start();
    await settle();
    expect(host.running).toBeGreaterThan(1);
    expect(host.running).toBeLessThan(16);
    await until(world.clock, () => {
      landing.shift()?.();
      return ids.every((id) => world.ended(id));
    });
  });

  it('counts runs whose plan is still being read', async () => {
    const world = new World();
    const plan = world.plan([{ id: 's', type: 'set', config: { v: 1 } }]);
    for (let n = 0; n < 50; n++) {
      await world.client.runs.insert({
        ...world.execution(`r${n}`, plan),
        owner: null,
        epoch: 0,
        wakeAt: 0,
        ...INITIAL_FIELDS,
      });
    }
    let readable = (): void => {};
    const slow = new Promise<void>((resolve) => (readable = resolve));
    world.readPlan = async () => slow.then(() => plan);
    const { host } = world.host(null, { capacity: 10 });
    await host.start();
    await settle(20);
    expect([...world.db.executions.values()].filter(({ owner }) => owner !== null)).toHaveLength(10);
    readable();
    await until(world.clock, () => world.endings.length === 50);
  });

  it('retries with backoff while a plan cannot be read, and loses no message meanwhile', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    await world.client.runs.insert({
      ...world.execution('a', plan),
      owner: null,
      epoch: 0,
      wakeAt: 0,
      ...INITIAL_FIELDS,
    });
    let tries = 0;
    const readPlan = world.readPlan;
    world.readPlan = async () => {
      tries += 1;
      if (tries === 3)
        await world.client.runs.addMessage('a', { id: 'm', name: 'x', data: {}, by: null, at: 0 }, world.clock.now());
      throw new Error('no answer');
    };
    host.poke();
    const began = world.clock.now();
    await until(world.clock, () => world.clock.now() - began >= 10_000);
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThanOrEqual(12);
    world.readPlan = readPlan;
    await until(world.clock, () => world.ended('a'));
    expect(connection.log.filter((verb) => verb === 'claim').length).toBeLessThan(40);
  });

  it('of a history that cannot be read is retried with backoff', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    await world.client.runs.insert({
      ...world.execution('a', plan),
      owner: null,
      epoch: 0,
      wakeAt: 0,
      ...INITIAL_FIELDS,
    });
    let tries = 0;
    connection.fails = (verb) => {
      if (verb !== 'journal') return null;
      tries += 1;
      return tries > 500 ? null : 'before';
    };
    host.poke();
    const began = world.clock.now();
    await until(world.clock, () => world.clock.now() - began >= 10_000);
    expect(tries).toBeGreaterThan(2);
    expect(tries).toBeLessThanOrEqual(12);
    connection.fails = () => null;
    await until(world.clock, () => world.ended('a'));
  });
});

describe('a claim', () => {
  it('of a run that is owned but not alive here is made anew, under a new epoch', async () => {
    const { world, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    await world.client.runs.insert({
      ...world.execution('a', plan),
      owner: null,
      epoch: 3,
      wakeAt: 0,
      ...INITIAL_FIELDS,
    });
    connection.fails = (verb) => (verb === 'claim' ? 'after' : null);
    world.clock.advance(1_000);
    await settle();
    expect(world.row('a')).toMatchObject({ owner: 'host-1.1', epoch: 4 });
    connection.fails = () => null;
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').epoch).toBe(5);
    expect(world.outside.ran.get('e')).toBe(1);
  });

  it('that a fenced host has spoilt by a late record ends, and the run continues with that record in its history', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e'), effect('f')]);
    let land = (): void => {};
    world.answers.set('e', () => new Promise((resolve) => (land = () => resolve({ kind: 'done', output: { n: 1 } }))));
    await world.client.runs.insert({
      ...world.execution('a', plan),
      owner: null,
      epoch: 1,
      wakeAt: 0,
      ...INITIAL_FIELDS,
    });
    const release = connection.hold('append');
    host.poke();
    await settle();
    expect(world.row('a').epoch).toBe(2);
    const late = { kind: 'step.completed', path: 'e', attempt: 1, at: 0, started: 0, output: { n: 0 } };
    await world.client.runs.append({
      executionId: 'a',
      n: 1,
      epoch: 1,
      host: 'zombie',
      at: 0,
      before: 0,
      json: JSON.stringify([late]),
    });
    release();
    land();
    await until(world.clock, () => world.ended('a'));
    expect(world.outside.ran).toEqual(new Map([['f', 1]]));
    expect(world.row('a').epoch).toBe(3);
    expect(world.entries('a').filter((entry) => entry.kind === 'step.completed')).toHaveLength(2);
  });

  it('is kept while its run is being loaded', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e')]);
    let readable = (): void => {};
    const slow = new Promise<void>((resolve) => (readable = resolve));
    world.readPlan = async () => slow.then(() => plan);
    await world.client.runs.insert({
      ...world.execution('a', plan),
      owner: null,
      epoch: 0,
      wakeAt: 0,
      ...INITIAL_FIELDS,
    });
    host.poke();
    await settle();
    for (let n = 0; n < 5; n++) {
      world.clock.advance(LEASE_MS / 4);
      await settle();
    }
    readable();
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').epoch).toBe(1);
    expect(world.outside.ran.get('e')).toBe(1);
  });
});

describe('a message', () => {
  it('that comes between the claim and the load is seen at once', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e')]);
    world.answers.set('e', never);
    let readable = (): void => {};
    const slow = new Promise<void>((resolve) => (readable = resolve));
    world.readPlan = async () => slow.then(() => plan);
    await world.client.runs.insert({
      ...world.execution('a', plan),
      owner: null,
      epoch: 0,
      wakeAt: 0,
      ...INITIAL_FIELDS,
    });
    host.poke();
    await settle();
    await world.send('a', { id: CANCEL, name: CANCEL });
    readable();
    await settle();
    expect(world.row('a').status).toBe('cancelled');
    expect(world.outside.ran.size).toBe(0);
  });

  it('posted elsewhere reaches a busy run without any hint', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e')]);
    world.answers.set('e', never);
    await host.begin(world.execution('a', plan), plan);
    await settle();
    await world.client.runs.addMessage('a', { id: CANCEL, name: CANCEL, data: {}, by: null, at: 0 }, world.clock.now());
    const posted = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - posted).toBeLessThanOrEqual(LEASE_MS / 2);
    expect(world.outside.aborted).toEqual(['e']);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('sent %i ticks after the release of the run wakes it at once', async (turns) => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([{ id: 's', type: 'wait_for_signal', config: { signal: 'go' } }]);
    const release = connection.hold('release');
    await host.begin(world.execution('a', plan), plan);
    await settle();
    release();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await world.send('a', { id: 'm', name: 'go', data: { v: 1 } });
    const posted = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - posted).toBe(0);
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { v: 1 } });
  });

  it('that arrives while a release has no answer starts nothing under a claim that may be lost', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([{ id: 's', type: 'wait_for_signal', config: { signal: 'go' } }, effect('e')]);
    const owners: (string | null)[] = [];
    world.answers.set('e', () => {
      owners.push(world.row('a').owner);
      return { kind: 'done', output: {} };
    });
    let answersLost = 1;
    connection.fails = (verb) => (verb === 'release' && answersLost-- > 0 ? 'after' : null);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    await world.send('a', { id: 'm', name: 'go' });
    await until(world.clock, () => world.ended('a'));
    expect(owners).toEqual([expect.stringMatching(/^host-1/)]);
    expect(world.row('a').epoch).toBe(2);
  });

  it('that is delivered while its run is loaded waits for earlier ones', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([{ id: 's', type: 'wait_for_signal', config: { signal: 'go' } }]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').owner === null);
    const release = connection.hold('journal');
    const mail = (id: string, at: number): Message => ({ id, name: 'go', data: {}, by: null, at });
    const [first, second] = [mail('first', world.clock.now()), mail('second', world.clock.now() + 1)];
    await world.client.runs.addMessage('a', first, world.clock.now());
    await until(world.clock, () => host.running === 1);
    await world.client.runs.addMessage('a', second, world.clock.now());
    expect(host.deliver('a', second)).toBe(true);
    release();
    await until(world.clock, () => world.ended('a'));
    expect(world.entries('a')).toContainEqual(expect.objectContaining({ kind: 'step.completed', mail: 'first' }));
  });

  it('hammered around releases is never lost', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan(
      Array.from({ length: 30 }, (_, n) => ({ id: `s${n}`, type: 'wait_for_signal', config: { signal: 'go' } })),
    );
    await host.begin(world.execution('a', plan), plan);
    for (let n = 0; n < 30; n++) {
      void world.send('a', { id: `m${n}`, name: 'go', data: { n } });
      for (let turn = 0; turn < n % 7; turn++) await Promise.resolve();
      if (n % 5 === 0) await settle(1);
    }
    await until(world.clock, () => world.ended('a'));
    const taken = world.entries('a').flatMap((entry) => ('mail' in entry && entry.mail ? [entry.mail] : []));
    expect(new Set(taken).size).toBe(30);
  });
});

describe('a host that cannot renew its lease', () => {
  it('stops its runs before another host may begin, and comes back under a new id', async () => {
    const world = new World();
    const first = world.host();
    await first.host.start();
    const second = world.host();
    await second.host.start();
    const plan = world.plan([effect('e')]);
    world.answers.set('e', (n) => (n === 1 ? never() : { kind: 'done', output: {} }));
    await first.host.begin(world.execution('a', plan), plan);
    await settle();
    const running: number[] = [];
    first.connection.fails = (verb) => (['renew', 'register', 'expire'].includes(verb) ? 'before' : null);
    await until(world.clock, () => {
      const ran = world.outside.ran.get('e') ?? 0;
      running.push(ran - world.outside.aborted.length);
      return world.ended('a');
    });
    expect(Math.max(...running)).toBe(1);
    expect(first.host.ready).toBe(false);
    expect(first.host.running).toBe(0);
    first.connection.fails = () => null;
    await until(world.clock, () => first.host.ready);
    expect([...world.db.hosts].filter(([, { state }]) => state === 'alive').map(([id]) => id)).toHaveLength(2);
  });

  it('does not become ready by a late answer for its old id', async () => {
    const { world, host, connection } = await oneHost();
    world.clock.advance(LEASE_MS / 4 - 1);
    const release = connection.hold('renew');
    world.clock.advance(1);
    await settle();
    // The host is fenced while the renewal is in progress.
    world.clock.advance(LEASE_MS / 2 + 1);
    release();
    await settle();
    const plan = world.plan([effect('e')]);
    await host.begin(world.execution('a', plan), plan);
    const { owner } = world.row('a');
    expect(owner === null || world.db.hosts.get(owner)?.state === 'alive').toBe(true);
  });

  it('claims nothing under an id that is not registered yet', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    await world.client.runs.insert(ready('a', world.clock.now(), { planHash: plan.plan.hash }));
    const release = connection.hold('due');
    host.poke();
    await settle();
    connection.fails = (verb) => (['renew', 'register'].includes(verb) ? 'before' : null);
    await until(world.clock, () => !host.ready);
    release();
    await settle();
    expect(world.row('a').owner).toBeNull();
    connection.fails = () => null;
    await until(world.clock, () => world.ended('a'));
  });

  it('does not spin while it may not claim', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e')]);
    connection.fails = (verb) => (['renew', 'register'].includes(verb) ? 'before' : null);
    await until(world.clock, () => !host.ready);
    await host.begin(world.execution('a', plan), plan);
    let looks = 0;
    connection.fails = (verb) => {
      if (verb === 'nextWake') looks += 1;
      return ['renew', 'register'].includes(verb) ? 'before' : null;
    };
    const began = world.clock.now();
    await until(world.clock, () => world.clock.now() - began > 10_000);
    expect(looks).toBeLessThanOrEqual(12);
    connection.fails = () => null;
    await until(world.clock, () => world.ended('a'));
  });

  it('continues all accepted runs when the database is available again after 30 s', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([effect('e'), nap('w', '2s'), effect('f')]);
    for (let n = 0; n < 20; n++) await host.begin(world.execution(`r${n}`, plan), plan);
    await settle(1);
    let asked = 0;
    connection.fails = () => {
      asked += 1;
      return asked % 3 === 0 ? 'after' : 'before';
    };
    const began = world.clock.now();
    await until(world.clock, () => world.clock.now() - began >= 30_000, 50_000);
    // Twenty runs, a poll and a renewal each second: no hot loop.
    expect(asked).toBeLessThan(2_000);
    connection.fails = () => null;
    await until(world.clock, () => world.endings.length === 20, 50_000);
    expect([...world.db.executions.values()].every(({ status }) => status === 'completed')).toBe(true);
  });

  it('renews in time while the sweep is slow', async () => {
    const { world, host, connection } = await oneHost();
    const release = connection.hold('expire');
    for (let n = 0; n < 12; n++) {
      world.clock.advance(LEASE_MS / 4);
      await settle();
    }
    expect(host.ready).toBe(true);
    release();
  });
});
