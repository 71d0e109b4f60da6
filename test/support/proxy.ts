import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a server, with network faults that a test controls. */
export interface Proxy {
  readonly port: number;
  /** Ends each connection with a reset, and refuses new ones until `heal`. */
  cut(): void;
  /** Passes nothing in either direction, without a reset: connections stay open; new ones are accepted and get no data. */
  stall(): void;
  /** New connections pass again. Those that were stalled are reset, because data of them was dropped. */
  heal(): void;
  /** The number of open connections. */
  readonly connections: number;
  /** The number of connections so far. */
  readonly asked: number;
  close(): Promise<void>;
}

type State = 'open' | 'cut' | 'stalled';

/** Listens on a free port of the loopback, and forwards all data to `targetPort` there. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  let state: State = 'open';
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    // Resets are expected here; the other end learns of them by `close`.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const resetAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  let asked = 0;
  const server = createServer((client) => {
    asked += 1;
    track(client);
    if (state === 'cut') return void client.resetAndDestroy();
    const upstream = connect(targetPort, '127.0.0.1');
    track(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk) => {
        if (state === 'open') to.write(chunk);
      });
      from.on('close', () => {
        if (state !== 'stalled') to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      resetAll();
    },
    stall() {
      state = 'stalled';
    },
    heal() {
      if (state === 'stalled') resetAll();
      state = 'open';
    },
    get connections() {
      return Math.floor(sockets.size / 2);
    },
    get asked() {
      return asked;
    },
    async close() {
      resetAll();
      server.close();
      await once(server, 'close');
    },
  };
}
