import { startApp, type TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { type Proxy, startProxy } from '../../support/proxy';
import { freePort } from '../../support/server';
import { until } from '../../support/until';
import { actions, type House, knows, openHouse } from './test-cluster';

const NOTHING = {} as never;

/** An action of the catalogue that may be repeated, and one that may not. */
const IDEMPOTENT_ACTIONS = 'workflows.get';
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
  const works = actions({ [IDEMPOTENT_ACTIONS]: answer(IDEMPOTENT_ACTIONS), [ONCE]: answer(ONCE) });
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

  test('a node without heartbeats is disconnected within four seconds, and accepted again', async () => {
    const { outcome, open } = await underWay(ONCE);
    const began = performance.now();
    way.stall();
    // It may have been executed, so no other node is asked.
    expect(await outcome).toMatchObject({ type: 'unavailable', data: { retry_after: 1 } });
    expect(performance.now() - began).toBeLessThan(4_000);
    way.heal();
    open();
    expect(await ask(ONCE)).toEqual({ from: ONCE });
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  test('after a restart of the server everything works again within three seconds', async () => {
    const { outcome, open } = await underWay(IDEMPOTENT_ACTIONS);
    await house.nats.kill();
    await house.nats.restart();
    const began = performance.now();
    open();
    // Cut off by the loss, and asked again.
    expect(await outcome).toBeNull();
    expect(begun[IDEMPOTENT_ACTIONS]).toBe(2);
    expect(await ask(ONCE)).toEqual({ from: ONCE });
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test('a call without a connection waits for it; a pending call that is not idempotent is cut off at once', async () => {
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

  test('a connection that drops everything is detected as well', async () => {
    house.nats.pause();
    const later = ask(IDEMPOTENT_ACTIONS);
    await until('the gateway has noticed', () => gateway.broker.transit?.tx.connected === false);
    house.nats.resume();
    expect(await later).toEqual({ from: IDEMPOTENT_ACTIONS });
  });

  test('a call to a disconnected node was never received: it is retried when the node is back', async () => {
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

  test('a response that was lost with the connection of its node is not waited for', async () => {
    const { outcome, open } = await underWay(ONCE);
    way.cut();
    await until('the node knows', () => worker.broker.transit?.tx.connected === false);
    open();
    way.heal();
    expect(await outcome).toMatchObject({ type: 'unavailable' });
  });

  test('a call without a response in its time fails with `timed_out` and is not retried', async () => {
    const { open } = await underWay(IDEMPOTENT_ACTIONS);
    const slow = ask(IDEMPOTENT_ACTIONS, 300).catch((error: unknown) => error);
    expect(await slow).toMatchObject({ type: 'timed_out', code: 504 });
    expect(begun[IDEMPOTENT_ACTIONS]).toBe(2);
    open();
  });

  test('a call without an endpoint fails with `unavailable` after a while', async () => {
    const began = performance.now();
    const unanswered = ask('workflows.list', 1_000).catch((error: unknown) => error);
    expect(await unanswered).toMatchObject({ type: 'unavailable', code: 503, data: { retry_after: 1 } });
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  test('a process stops at once while NATS is down', async () => {
    const leaving = await house.join('leaving', []);
    await house.nats.kill();
    const began = performance.now();
    await leaving.broker.stop();
    expect(performance.now() - began).toBeLessThan(2_000);
    await house.nats.restart();
  });

  test('a process that starts without NATS retries until it is up', async () => {
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

  test('failed calls leave no state behind', () => {
    expect(gateway.broker.transit?.pendingRequests.size).toBe(0);
  });

  test('a second process with the same node id is refused; the first one stays', async () => {
    const faults: Error[] = [];
    const twin = startApp({
      services: [],
      database: house.database,
      bus: house.nats.url,
      namespace: house.namespace,
      nodeId: 'worker',
      onFatal: (fault) => faults.push(fault),
    });
    await (await twin).close();
    expect(faults[0]?.message).toContain('NODE_ID');
    await until('the first one answers', () =>
      ask(ONCE).then(
        () => true,
        () => false,
      ),
    );
  });
});
