import { startApp, type TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { type Proxy, startProxy } from '../../support/proxy';
import { freePort } from '../../support/server';
import { until } from '../../support/until';
import { actions, type House, knows, openHouse } from './house';

const NOTHING = {} as never;

/** An action of the catalogue that may be repeated, and one that may not. */
const REPEATABLE = 'workflows.get';
const ONCE = 'workflows.create';

/** How many connections a NATS server has, by its own account. */
async function connectionsOf(monitor: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${monitor}/varz`);
  return ((await answer.json()) as { connections: number }).connections;
}

describeWith('nats', { own: true })('a cluster whose bus breaks', () => {
  let house: House;
  let gateway: TestApp;
  let worker: TestApp;
  let way: Proxy;
  /** Port on which the server tells of itself. */
  let monitor: number;

  /** How often each action was begun on the worker, and what it waits for before it answers. */
  const begun: Record<string, number> = {};
  let gate: Promise<void> = Promise.resolve();
  const answer = (name: string) => async () => {
    begun[name] = (begun[name] ?? 0) + 1;
    await gate;
    return { from: name };
  };
  const works = actions({ [REPEATABLE]: answer(REPEATABLE), [ONCE]: answer(ONCE) });
  const ask = (name: string, timeout = 20_000): Promise<unknown> => gateway.broker.call(name, NOTHING, { timeout });
  const failure = (name: string): Promise<unknown> =>
    ask(name).then(
      () => null,
      (error: unknown) => error,
    );

  beforeAll(async () => {
    monitor = await freePort();
    house = await openHouse({ config: `http: "127.0.0.1:${monitor}"` });
    way = await startProxy(house.nats.port);
    gateway = await house.join('gateway', []);
    worker = await house.join('worker', [works], {
      bus: `nats://127.0.0.1:${way.port}`,
    });
    await knows(gateway, ONCE);
  });
  afterAll(async () => {
    way.heal();
    await house.close();
    await way.close();
  });
  beforeEach(async () => {
    way.heal();
    await knows(gateway, ONCE);
    for (const name of Object.keys(begun)) delete begun[name];
    gate = Promise.resolve();
  });

  /** A call that has begun on the worker, and stays there until `open`. */
  async function underWay(name: string): Promise<{ outcome: Promise<unknown>; open: () => void }> {
    let open = (): void => undefined;
    gate = new Promise((done) => (open = done));
    const outcome = failure(name);
    await until(`${name} has begun`, () => begun[name] === 1);
    return { outcome, open };
  }

  test('a node of which nothing is heard is known as gone within four seconds, and welcome again', async () => {
    const { outcome, open } = await underWay(ONCE);
    const began = performance.now();
    way.stall();
    // It was carried out, perhaps, so nobody else is asked.
    expect(await outcome).toMatchObject({ type: 'unavailable', data: { retry_after: 1 } });
    expect(performance.now() - began).toBeLessThan(4_000);
    way.heal();
    open();
    expect(await ask(ONCE)).toEqual({ from: ONCE });
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  test('after a restart of the server everything works again within three seconds', async () => {
    const { outcome, open } = await underWay(REPEATABLE);
    await house.nats.kill();
    await house.nats.restart();
    const began = performance.now();
    open();
    // Cut off by the loss, and asked again.
    expect(await outcome).toBeNull();
    expect(begun[REPEATABLE]).toBe(2);
    expect(await ask(ONCE)).toEqual({ from: ONCE });
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test('a call that finds no bus waits for it; one that is under way and may not be repeated is cut off at once', async () => {
    const { outcome, open } = await underWay(ONCE);
    await house.nats.kill();
    const began = performance.now();
    expect(await outcome).toMatchObject({ type: 'unavailable', message: expect.stringContaining('may have') });
    expect(performance.now() - began).toBeLessThan(1_000);
    open();
    const later = ask(ONCE);
    await house.nats.restart();
    expect(await later).toEqual({ from: ONCE });
    expect(begun[ONCE]).toBe(2);
  });

  test('a bus that swallows everything is noticed as well', async () => {
    house.nats.pause();
    const later = ask(REPEATABLE);
    await until('the gateway has noticed', () => gateway.broker.transit?.tx.connected === false);
    house.nats.resume();
    expect(await later).toEqual({ from: REPEATABLE });
  });

  test('a call to a node whose connection is gone was never received: it is made when the node is back', async () => {
    const connections = await connectionsOf(monitor);
    way.cut();
    // The server notices at a moment of its own, and takes messages for the connection until then.
    await until('the server has noticed', async () => (await connectionsOf(monitor)) < connections);
    const began = performance.now();
    const later = ask(ONCE);
    await until('the node is missed', () => gateway.broker.registry.nodes.get('worker')?.available === false);
    expect(performance.now() - began).toBeLessThan(500);
    way.heal();
    expect(await later).toEqual({ from: ONCE });
    expect(begun[ONCE]).toBe(1);
  });

  test('an answer that was lost with the connection of its node is not waited for', async () => {
    const { outcome, open } = await underWay(ONCE);
    way.cut();
    await until('the node knows', () => worker.broker.transit?.tx.connected === false);
    open();
    way.heal();
    expect(await outcome).toMatchObject({ type: 'unavailable' });
  });

  test('a call that nobody answers in its time ends with the word for that, and is not repeated', async () => {
    const { open } = await underWay(REPEATABLE);
    const slow = ask(REPEATABLE, 300).catch((error: unknown) => error);
    expect(await slow).toMatchObject({ type: 'timed_out', code: 504 });
    expect(begun[REPEATABLE]).toBe(2);
    open();
  });

  test('a call for which there is nobody says so, when it has looked for a while', async () => {
    const began = performance.now();
    const nobody = ask('workflows.list', 1_000).catch((error: unknown) => error);
    expect(await nobody).toMatchObject({ type: 'unavailable', code: 503, data: { retry_after: 1 } });
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  test('a process stops at once while the bus is away', async () => {
    const leaving = await house.join('leaving', []);
    await house.nats.kill();
    const began = performance.now();
    await leaving.broker.stop();
    expect(performance.now() - began).toBeLessThan(2_000);
    await house.nats.restart();
  });

  test('a process that starts without the bus tries until it is there', async () => {
    const shut = await startProxy(house.nats.port);
    shut.cut();
    let up = false;
    const joining = house.join('early', [], { bus: `nats://127.0.0.1:${shut.port}` });
    void joining.then(() => (up = true));
    await until('it has tried more than once', () => shut.asked > 2);
    expect(up).toBe(false);
    shut.heal();
    const began = performance.now();
    const early = await joining;
    expect(performance.now() - began).toBeLessThan(3_000);
    await knows(early, ONCE);
    await early.broker.stop();
    await shut.close();
  });

  test('nothing is kept of calls that failed', () => {
    expect(gateway.broker.transit?.pendingRequests.size).toBe(0);
  });

  test('a second process of the same name is not let in; the first one stays', async () => {
    const told: Error[] = [];
    const twin = startApp({
      services: [],
      database: house.database,
      bus: house.nats.url,
      namespace: house.namespace,
      nodeId: 'worker',
      onFatal: (fault) => told.push(fault),
    });
    await (await twin).close();
    expect(told[0]?.message).toContain('NODE_ID');
    await until('the first one answers', () =>
      ask(ONCE).then(
        () => true,
        () => false,
      ),
    );
  });
});
