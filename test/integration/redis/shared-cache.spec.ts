import { isObject } from '../../../lib/json';
import { SharedCache } from '../../../lib/redis/shared-cache';
import { SharedState } from '../../../lib/redis/shared-state';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { startProxy } from '../../support/proxy';
import { until } from '../../support/until';

interface Price {
  readonly of: string;
  readonly amount: number;
}

describeWith('redis', { own: true })('answers that processes share', () => {
  let redis: Daemon;
  const open: SharedState[] = [];
  let namespace: string;
  let names = 0;

  beforeAll(async () => {
    redis = (await startOwnRedis()) as Daemon;
  });

  beforeEach(() => {
    namespace = `cache-${names++}`;
  });

  afterEach(() => {
    for (const state of open.splice(0)) state.close();
  });

  afterAll(() => redis?.stop());

  const connect = async (port = redis.port): Promise<SharedState> => {
    const url = `redis://127.0.0.1:${port}`;
    const state = new SharedState({ url, namespace, log: { warn: () => undefined } });
    open.push(state);
    await until('Redis is used', () => state.unavailableReason === null);
    return state;
  };

  const prices = (state: SharedState | null, options: { ttlMs?: number; longest?: number; now?: () => number } = {}) =>
    new SharedCache<Price>({
      state,
      name: 'price',
      ttlMs: options.ttlMs ?? 60_000,
      longest: options.longest ?? 1_000,
      now: options.now ?? Date.now,
      parse: (value, of) => (isObject(value) && value.of === of ? (value as unknown as Price) : null),
    });

  const bread = (amount: number) => (): Promise<Price> => Promise.resolve({ of: 'bread', amount });
  const unread = (): Promise<Price> => Promise.reject(new Error('It need not have been read'));

  /** Until a value of one process has reached Redis; no caller waits for that. */
  const isShared = (state: SharedState) => until('it is shared', () => state.read('price:bread'));

  test('one process reads, and the others need not', async () => {
    const [one, other] = [await connect(), await connect()];
    expect(await prices(one).get('bread', bread(3))).toEqual({ of: 'bread', amount: 3 });
    await isShared(other);
    expect(await prices(other).get('bread', unread)).toEqual({ of: 'bread', amount: 3 });
  });

  test('a change is seen by all at once', async () => {
    const [one, other] = [await connect(), await connect()];
    await prices(one).get('bread', bread(3));
    await isShared(other);
    await prices(one).forget('bread');
    expect(await prices(other).get('bread', bread(4))).toEqual({ of: 'bread', amount: 4 });
  });

  test('a value read before a change cannot be stored after it', async () => {
    const [reader, writer] = [await connect(), await connect()];
    let finish = (_price: Price): void => undefined;
    const slow = new Promise<Price>((resolve) => (finish = resolve));
    let reading = false;
    const read = prices(reader).get('bread', () => {
      reading = true;
      return slow;
    });
    await until('the old answer is being read', () => reading);
    await prices(writer).forget('bread');
    finish({ of: 'bread', amount: 3 });
    expect(await read).toEqual({ of: 'bread', amount: 3 });
    // Over the same connection, so it comes after what the reader has sent.
    expect(await reader.read('price:bread')).toBeNull();
    expect(await prices(writer).get('bread', bread(4))).toEqual({ of: 'bread', amount: 4 });
  });

  test('a value that took too long to read is not shared: the mark of a change may have expired before', async () => {
    const state = await connect();
    let now = Date.now();
    const slow = (): Promise<Price> => {
      now += 3_000;
      return bread(3)();
    };
    await prices(state, { now: () => now }).get('bread', slow);
    expect(await state.read('price:bread')).toBeNull();
  });

  test('if Redis missed a change, the old value is served until it expires', async () => {
    const reader = await connect();
    const proxy = await startProxy(redis.port);
    try {
      const writer = await connect(proxy.port);
      const ttlMs = 300;
      await prices(reader, { ttlMs }).get('bread', bread(3));
      const expiry = Date.now() + ttlMs;
      await isShared(reader);
      proxy.cut();
      await prices(writer).forget('bread');
      const answer = async () => (await prices(reader, { ttlMs }).get('bread', bread(4))).amount;
      await until('the new answer is given', async () => (await answer()) === 4, ttlMs + 2_000);
      expect(Date.now()).toBeLessThan(expiry + 2_000);
    } finally {
      await proxy.close();
    }
  });

  test.each([
    ['of another key', '{"of":"milk","amount":3}'],
    ['of another shape', '[]'],
    ['that is no JSON', 'bread'],
    ['of null', 'null'],
  ])('a text %s counts as absent', async (_what, text) => {
    const state = await connect();
    await state.put('price:bread', text, Date.now() + 60_000);
    expect(await prices(state).get('bread', bread(4))).toEqual({ of: 'bread', amount: 4 });
  });

  test('what is too long, or nothing, is not shared', async () => {
    const state = await connect();
    await prices(state, { longest: 10 }).get('bread', bread(3));
    expect(await prices(state).get('bread', () => Promise.resolve(null))).toBeNull();
    expect(await state.read('price:bread')).toBeNull();
  });

  test('without a Redis, or while it is away, every answer is read', async () => {
    expect(await prices(null).get('bread', bread(3))).toEqual({ of: 'bread', amount: 3 });
    await prices(null).forget('bread');
    const state = await connect();
    state.close();
    expect(await prices(state).get('bread', bread(4))).toEqual({ of: 'bread', amount: 4 });
  });

  test('a failed read rejects and is not cached', async () => {
    const state = await connect();
    await expect(prices(state).get('bread', unread)).rejects.toThrow('need not');
    expect(await prices(state).get('bread', bread(3))).toEqual({ of: 'bread', amount: 3 });
  });
});
