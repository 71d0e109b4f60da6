import { SharedState } from '../../../lib/redis/shared-state';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { until } from '../../support/until';

describeWith('redis', { own: true })('a process and its Redis', () => {
  let redis: Daemon;
  let logged: string[];
  const open: SharedState[] = [];

  beforeAll(async () => {
    redis = (await startOwnRedis()) as Daemon;
  });

  beforeEach(() => {
    logged = [];
  });

  afterEach(async () => {
    for (const state of open.splice(0)) state.close();
    redis.resume();
    await redis.restart();
  });

  afterAll(() => redis?.stop());

  const connect = (url = redis.url): SharedState => {
    const state = new SharedState({ url, namespace: 'test', log: { warn: (message) => logged.push(message) } });
    open.push(state);
    return state;
  };

  const connected = async (url?: string): Promise<SharedState> => {
    const state = connect(url);
    await until('Redis is used', () => state.unavailableReason === null);
    return state;
  };

  const soon = (): number => Date.now() + 60_000;

  /** How long a command takes to return `away`. */
  const waitForNothing = async (state: SharedState): Promise<number> => {
    const began = performance.now();
    expect(await state.read('word')).toBeNull();
    return performance.now() - began;
  };

  /** Whether commands return `away` without waiting: before the next iteration of the event loop. */
  const failsAtOnce = (state: SharedState): Promise<boolean> =>
    Promise.race([
      state.read('word').then((word) => word === null),
      new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
    ]);

  /** A client of the test's own, with the rights of an operator. */
  const operator = async (...command: string[]): Promise<void> => {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    try {
      await client.call(...(command as [string]));
    } finally {
      client.disconnect();
    }
  };

  test('what one process puts, another one reads, in a namespace of their own', async () => {
    const [one, other] = [await connected(), await connected()];
    await one.put('word', '"hello"', soon());
    expect(await other.read('word')).toBe('"hello"');
    expect(logged).toEqual([]);
  });

  test('the first answer that was put stays, until its time is up', async () => {
    const state = await connected();
    await state.put('word', '1', soon());
    await state.put('word', '2', soon());
    expect(await state.read('word')).toBe('1');
    await state.put('brief', '1', Date.now() + 50);
    await until('it has gone', async () => (await state.read('brief')) === null);
  });

  test('what is put too late is not there at all', async () => {
    const state = await connected();
    await state.put('word', '1', Date.now() - 1);
    expect(await state.read('word')).toBeNull();
  });

  test('a key with a tombstone rejects values for a while', async () => {
    const state = await connected();
    await state.put('word', '1', soon());
    await state.retire('word');
    await state.put('word', '1', soon());
    expect(await state.read('word')).toBeNull();
  });

  test('a Redis that is down at the start is logged once, and used once it is up', async () => {
    await redis.kill();
    const state = connect();
    await until('the loss is logged', () => logged.length > 0);
    expect(state.unavailableReason).toBe('unreachable (ECONNREFUSED)');
    await redis.restart();
    await until('Redis is used', () => state.unavailableReason === null);
    expect(logged).toEqual([
      expect.stringContaining('Redis is unavailable'),
      'Redis is available again: caches and rate limits are shared',
    ]);
  });

  test('a Redis that dies returns `away` at once, and is logged once', async () => {
    const state = await connected();
    await redis.kill();
    await until('the loss is noticed', () => state.unavailableReason !== null);
    for (let i = 0; i < 20; i++) expect(await failsAtOnce(state)).toBe(true);
    expect(logged).toHaveLength(1);
  });

  test('a paused Redis delays the first commands for a moment, and no later ones', async () => {
    const state = await connected();
    // Again while the machine itself is too busy for such times.
    await until('no command was delayed for 150 ms', async () => {
      logged.length = 0;
      redis.pause();
      const waits = await Promise.all([waitForNothing(state), waitForNothing(state), waitForNothing(state)]);
      expect(state.unavailableReason).toBe('timeout');
      expect(await failsAtOnce(state)).toBe(true);
      redis.resume();
      await until('Redis is used again', () => state.unavailableReason === null);
      expect(logged).toHaveLength(2);
      return Math.max(...waits) < 150;
    });
    await state.put('word', '1', soon());
    expect(await state.read('word')).toBe('1');
  });

  test('a value that a paused Redis is given late has had its time', async () => {
    const state = await connected();
    redis.pause();
    const deadline = Date.now() + 100;
    await state.put('word', '"old"', deadline);
    await until('its time is over', () => Date.now() > deadline);
    redis.resume();
    await until('Redis is used again', () => state.unavailableReason === null);
    expect(await state.read('word')).toBeNull();
  });

  test('a process that was busy itself does not blame Redis for it', async () => {
    const state = await connected();
    await state.put('word', '1', soon());
    const asked = state.read('word');
    const end = performance.now() + 200;
    while (performance.now() < end);
    expect(await asked).toBe('1');
    expect(state.unavailableReason).toBeNull();
  });

  test('a connection that a paused Redis accepted is given up too', async () => {
    redis.pause();
    const state = connect();
    await until('the loss is logged', () => logged.length > 0);
    expect(state.unavailableReason).toBe('timeout');
    redis.resume();
    await until('Redis is used', () => state.unavailableReason === null);
  });

  test('a Redis that has become a replica is not used until it accepts writes again', async () => {
    const state = await connected();
    await operator('replicaof', '127.0.0.1', '1');
    await state.put('word', '1', soon());
    expect(state.unavailableReason).toBe('command refused (READONLY)');
    await operator('replicaof', 'no', 'one');
    await until('Redis is used again', () => state.unavailableReason === null);
    expect(logged).toHaveLength(2);
  });

  test('a full Redis is not used until it has free memory', async () => {
    const state = await connected();
    await operator('config', 'set', 'maxmemory', '1');
    await state.retire('word');
    expect(state.unavailableReason).toBe('command refused (OOM)');
    await operator('config', 'set', 'maxmemory', '0');
    await until('Redis is used again', () => state.unavailableReason === null);
  });

  test('a wrong password is reported without repeating it', async () => {
    await operator('config', 'set', 'requirepass', 'right');
    const state = connect(redis.url.replace('//', '//:wr%40ng@'));
    await until('the loss is logged', () => logged.length > 0);
    expect(state.unavailableReason).toBe('command refused (WRONGPASS)');
    expect(logged.join()).not.toMatch(/wr(%40|@)ng/);
    await connected(redis.url.replace('//', '//:right@'));
  });

  test('a Redis that allows only some of the commands is not used at all, and is logged once', async () => {
    await operator('acl', 'setuser', 'half', 'on', '>word', '~*', '+@all', '-eval');
    const state = connect(redis.url.replace('//', '//half:word@'));
    const before = Date.now();
    await until('it has been tried again', () => logged.length > 0 && Date.now() > before + 200);
    expect(state.unavailableReason).toBe('command refused (NOPERM)');
    expect(logged).toHaveLength(1);
  });

  test('databases of one server are apart', async () => {
    const [first, second] = [await connected(`${redis.url}/0`), await connected(`${redis.url}/1`)];
    await first.put('word', '1', soon());
    expect(await second.read('word')).toBeNull();
  });

  test('after `close` no command is sent and nothing is logged', async () => {
    const state = await connected();
    state.close();
    await state.put('word', '1', soon());
    expect(await state.read('word')).toBeNull();
    expect(logged).toEqual([]);
  });
});
