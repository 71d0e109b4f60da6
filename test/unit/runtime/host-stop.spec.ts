import type { Json } from '../../../lib/json';
import { INITIAL_FIELDS } from '../../../runtime/worker/deps';
import { settle, until } from '../../support/manual-clock';
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

describe('a stop', () => {
  it('releases waiting runs at once', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([nap('w', '900ms')]);
    await host.begin(world.execution('a', plan), plan);
    await settle();
    expect(host.running).toBe(1);
    const before = world.clock.now();
    await host.stop(10_000);
    expect(world.clock.now()).toBe(before);
    expect(world.row('a').owner).toBeNull();
  });

  it('waits for attempts in flight, starts no others, and another host continues at once', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e'), effect('f')]);
    let land = (): void => {};
    world.answers.set('e', () => new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} }))));
    await host.begin(world.execution('a', plan), plan);
    await settle();
    const stopped = host.stop(10_000);
    await settle();
    land();
    await stopped;
    expect(world.outside.ran).toEqual(new Map([['e', 1]]));
    const second = world.host();
    await second.host.start();
    await settle();
    expect(world.ended('a')).toBe(true);
    expect(world.outside.ran).toEqual(
      new Map([
        ['e', 1],
        ['f', 1],
      ]),
    );
  });

  it('ends with its grace period, and aborts attempts in flight before their release', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e')]);
    world.answers.set('e', (n) => (n === 1 ? never() : { kind: 'done', output: {} }));
    await host.begin(world.execution('a', plan), plan);
    await settle();
    let stopped = false;
    void host.stop(3_000).then(() => (stopped = true));
    await settle();
    expect(stopped).toBe(false);
    const before = world.clock.now();
    await until(world.clock, () => stopped);
    expect(world.clock.now() - before).toBe(3_000);
    expect(world.outside.aborted).toEqual(['e']);
    expect(world.row('a').owner).toBeNull();
  });

  it('releases runs that were being loaded, and activates nothing afterwards', async () => {
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
    const stopped = host.stop(1_000);
    await settle();
    world.clock.advance(1_000);
    await stopped;
    expect(world.row('a').owner).toBeNull();
    readable();
    await settle();
    expect(host.running).toBe(0);
    expect(world.outside.ran.size).toBe(0);
  });

  it('does not wait for an unreachable database', async () => {
    const { world, host, connection } = await oneHost();
    for (const verb of ['claim', 'leave', 'release']) connection.hold(verb);
    const plan = world.plan([nap('w', '900ms')]);
    await host.begin(world.execution('a', plan), plan);
    host.poke();
    await settle();
    let stopped = false;
    void host.stop(3_000).then(() => (stopped = true));
    await settle();
    for (let n = 0; n < 4; n++) {
      world.clock.advance(LEASE_MS);
      await settle();
    }
    expect(stopped).toBe(true);
  });

  it('leaves no timer behind', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([effect('e'), nap('w', '1h')]);
    for (let n = 0; n < 5; n++) await host.begin(world.execution(`r${n}`, plan), plan);
    await settle();
    await host.stop(1_000);
    await settle();
    expect(world.clock.pending).toBe(0);
  });

  it('still accepts: the run is stored for others', async () => {
    const { world, host } = await oneHost();
    await host.stop(1_000);
    const plan = world.plan([effect('e')]);
    expect(await host.begin(world.execution('a', plan), plan)).toBe('stored');
    await settle();
    expect(world.row('a')).toMatchObject({ owner: null, status: 'running' });
  });
});
