import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { ClientPools, type ClientUse, POOL_LIMITS, type PoolClient, type PoolLimits } from '../../../lib/client-pool';
import { until } from '../../support/until';

function untilDone(): { signal: AbortSignal; abort: () => void } {
  const done = new AbortController();
  return { signal: done.signal, abort: () => done.abort() };
}

/** A client that greets its server at the beginning of each use. */
class Greeter implements PoolClient {
  resets = 0;

  constructor(readonly socket: Socket) {
    socket.on('error', () => {});
  }

  async greet(): Promise<void> {
    if (this.socket.destroyed) throw new Error('closed');
    this.socket.write('hello');
    const { signal, abort } = untilDone();
    const lost = once(this.socket, 'close', { signal }).then(() => Promise.reject(new Error('lost')));
    await Promise.race([once(this.socket, 'data', { signal }), lost]).finally(abort);
  }

  async reset(): Promise<void> {
    this.resets += 1;
  }

  close(): void {
    this.socket.destroy();
  }
}

let server: Server;
const accepted: Socket[] = [];
let pools: ClientPools;

beforeEach(async () => {
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    socket.on('data', () => socket.write('hello'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  pools = new ClientPools();
});
afterEach(async () => {
  pools.close();
  for (const socket of accepted.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const limited = (limits: Partial<PoolLimits>): ClientPools => new ClientPools({ ...POOL_LIMITS, ...limits });

async function open(signal: AbortSignal): Promise<Greeter> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  await once(socket, 'connect');
  return new Greeter(socket);
}

const use = <T>(
  work: (client: Greeter) => Promise<T>,
  more: Partial<ClientUse<Greeter, T>> = {},
): ClientUse<Greeter, T> => ({
  place: 'a',
  credentials: 'secret',
  signal: new AbortController().signal,
  open,
  begin: (client) => client.greet(),
  work,
  ...more,
});
const self = async (client: Greeter): Promise<Greeter> => client;
const idle = (count: number): Promise<unknown> => until(`${count} are idle`, () => pools.count().idle === count);

test('a client is used again after its session was reset', async () => {
  const first = await pools.of('t').use(use(self));
  await idle(1);
  expect(first.resets).toBe(1);
  expect(await pools.of('t').use(use(self))).toBe(first);
  expect(accepted).toHaveLength(1);
});

test.each([
  ['another tenant', 'u', {}],
  ['another place', 't', { place: 'b' }],
  ['other credentials', 't', { credentials: 'other' }],
])('%s does not get the client', async (_what, tenant, more) => {
  const first = await pools.of('t').use(use(self));
  await idle(1);
  expect(await pools.of(tenant).use(use(self, more))).not.toBe(first);
});

test('a change of credentials closes the clients with the previous ones', async () => {
  let finish = (): void => {};
  const busy = pools.of('t').use(use(() => new Promise<void>((resolve) => (finish = resolve))));
  await until('it is busy', () => pools.count().open === 1);
  const first = await pools.of('t').use(use(self));
  await idle(1);
  await pools.of('t').use(use(self, { credentials: 'other' }));
  expect(first.socket.destroyed).toBe(true);
  finish();
  await busy;
  await until('the one that was busy is closed too', () => pools.count().open === 1);
});

test('a use that fails closes its client', async () => {
  const failing = use(async (client) => {
    throw Object.assign(new Error('no'), { client });
  });
  await expect(pools.of('t').use(failing)).rejects.toThrow('no');
  expect(pools.count()).toEqual({ idle: 0, open: 0 });
});

test('a client whose reset fails is closed', async () => {
  await pools.of('t').use(
    use(async (client) => {
      client.reset = () => Promise.reject(new Error('no'));
    }),
  );
  await until('it is closed', () => pools.count().open === 0);
});

test('a client whose reset does not end is closed', async () => {
  pools = limited({ maxResetMs: 20 });
  await pools.of('t').use(
    use(async (client) => {
      client.reset = () => new Promise(() => {});
    }),
  );
  await until('it is closed', () => pools.count().open === 0);
});

test('a connection lost while idle is replaced, also when the first request detects it', async () => {
  const first = await pools.of('t').use(use(self));
  await idle(1);
  accepted[0]?.destroy();
  await until('the pool has seen it', () => pools.count().open === 0);
  const second = await pools.of('t').use(use(self));
  expect(second).not.toBe(first);
  await idle(1);
  // The server ends it at the next greeting.
  accepted[1]?.removeAllListeners('data').on('data', () => accepted[1]?.destroy());
  expect(await pools.of('t').use(use(self))).not.toBe(second);
});

test('a connection lost during a use is not replaced: the use fails', async () => {
  await pools.of('t').use(use(self));
  await idle(1);
  let attempts = 0;
  const breaking = use(async (client) => {
    attempts += 1;
    accepted[0]?.destroy();
    await once(client.socket, 'close');
    throw new Error('lost');
  });
  await expect(pools.of('t').use(breaking)).rejects.toThrow('lost');
  expect(attempts).toBe(1);
});

test('connections to one server are limited; other uses wait', async () => {
  pools = limited({ maxPerPlace: 2 });
  let [running, max] = [0, 0];
  const work = async (): Promise<void> => {
    max = Math.max(max, ++running);
    await until('two run', () => max === 2);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => pools.of('t').use(use(work))));
  expect(max).toBe(2);
  expect(accepted).toHaveLength(2);
});

test('a use that is aborted while it waits is skipped', async () => {
  pools = limited({ maxPerPlace: 1 });
  let finish = (): void => {};
  const busy = pools.of('t').use(use(() => new Promise<void>((resolve) => (finish = resolve))));
  await until('it is busy', () => pools.count().open === 1);
  const stop = new AbortController();
  const aborted = pools.of('t').use(use(self, { signal: stop.signal }));
  const next = pools.of('t').use(use(self));
  stop.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  finish();
  await busy;
  expect(await next).toBeInstanceOf(Greeter);
});

test('an aborted use closes its connection', async () => {
  const stop = new AbortController();
  const hanging = use(
    async (client) => {
      stop.abort();
      await once(client.socket, 'close');
      throw new Error('closed');
    },
    { signal: stop.signal },
  );
  await expect(pools.of('t').use(hanging)).rejects.toThrow('closed');
  expect(pools.count().open).toBe(0);
});

test('idle connections are bounded for a tenant and for the process; the longest idle is closed', async () => {
  pools = limited({ maxIdlePerTenant: 2, maxIdle: 3 });
  const clients: Greeter[] = [];
  for (const [tenant, place] of [
    ['t', 'a'],
    ['t', 'b'],
    ['t', 'c'],
  ] as const) {
    clients.push(await pools.of(tenant).use(use(self, { place })));
    await until('it was reset', () => clients.at(-1)?.resets === 1);
  }
  await until('the longest idle is closed', () => clients[0]?.socket.destroyed);
  expect(clients.map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
  for (const place of ['a', 'b']) clients.push(await pools.of('u').use(use(self, { place })));
  await until('the next is closed', () => clients[1]?.socket.destroyed);
  expect(clients.map(({ socket }) => socket.destroyed)).toEqual([true, true, false, false, false]);
});

test('a connection that is idle for too long, or too old, is closed', async () => {
  pools = limited({ maxIdleMs: 20 });
  await pools.of('t').use(use(self));
  await until('it is closed', () => pools.count().open === 0);
  pools = limited({ maxAgeMs: 0 });
  const first = await pools.of('t').use(use(self));
  await idle(1);
  expect(await pools.of('t').use(use(self))).not.toBe(first);
  expect(first.socket.destroyed).toBe(true);
});

test('a closed pool keeps no connection', async () => {
  await pools.of('t').use(use(self));
  await idle(1);
  pools.close();
  expect(pools.count()).toEqual({ idle: 0, open: 0 });
});
