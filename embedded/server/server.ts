import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { StoreFault } from '../store/scheduler';
import { Store } from '../store/store';
import { Connection } from './connection';
import type { Credentials, Server } from './context';
import { FailPoints } from './fail-points';
import { Login, verifierOf } from './login';

/** Listen address: a socket path, or a loopback address with the only accepted login. */
export type Listen =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly credentials: Credentials };

export interface ServerOptions {
  readonly dir: string;
  readonly listen: Listen;
  readonly testCommands: boolean;
  readonly sync: boolean;
  readonly ttlIntervalMs: number;
  readonly cursorIdleMs: number;
  readonly reserveBytes: number;
  readonly housekeepingMs: number;
}

/** Statistics of a running server. */
export interface ServerStats {
  readonly connections: number;
  readonly commands: number;
  readonly openCursors: number;
  readonly databases: number;
  readonly collections: number;
  readonly documents: number;
  /** Bytes of all documents. */
  readonly bytes: number;
  /** Used bytes of the data file, and its size. */
  readonly usedBytes: number;
  readonly fileBytes: number;
}

export interface RunningServer {
  /** The TCP port when it listens on one. */
  readonly port: number | undefined;
  stats(): ServerStats;
  close(): Promise<void>;
}

/** Opens the store and serves connections until closed. */
export async function startServer(options: ServerOptions, report: (fault: StoreFault) => void): Promise<RunningServer> {
  const store = new Store({ ...options, report });
  const credentials = options.listen.kind === 'tcp' ? options.listen.credentials : undefined;
  const verifier = credentials === undefined ? undefined : verifierOf(credentials);
  const server: Server = {
    store,
    startedAtMs: Date.now(),
    testCommands: options.testCommands,
    failPoints: new FailPoints(),
    credentials,
    operations: new Map(),
    counters: { connections: 0, totalConnections: 0, commands: 0 },
  };
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    server.counters.connections++;
    socket.on('close', () => {
      sockets.delete(socket);
      server.counters.connections--;
    });
    new Connection(server, { id: ++server.counters.totalConnections, login: new Login(verifier) }, socket);
  });
  try {
    await listen(listener, options.listen);
    // A failed accept (such as no free file descriptor) affects that client only.
    listener.on('error', (error) => process.stderr.write(`store: accepting a connection failed: ${error.message}\n`));
  } catch (error) {
    await store.close();
    throw error;
  }
  const address = listener.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : undefined,
    stats: () => statsOf(server),
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      await store.close();
    },
  };
}

function listen(listener: NetServer, where: Listen): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    const ready = (): void => {
      listener.off('error', reject);
      resolve();
    };
    if (where.kind === 'socket') listener.listen(where.path, 511, ready);
    else listener.listen(where.port, where.host, 511, ready);
  });
}

function statsOf({ store, counters }: Server): ServerStats {
  const collections = [...store.catalog.all()];
  const { used, file } = store.env.sizes();
  return {
    connections: counters.connections,
    commands: counters.commands,
    openCursors: store.cursors.size,
    databases: store.catalog.databaseNames().length,
    collections: collections.length,
    documents: collections.reduce((sum, { count }) => sum + count, 0),
    bytes: collections.reduce((sum, { bytes }) => sum + bytes, 0),
    usedBytes: used,
    fileBytes: file,
  };
}
