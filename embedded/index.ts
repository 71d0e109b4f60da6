import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from './server/context';
import { type Lock, LockedError, takeLock } from './store/lock';
import type { Listen, ServerOptions, ServerStats } from './server/server';
import { RESERVE_BYTES } from './store/reserve';
import type { StoreFault } from './store/scheduler';
import { type HostedServer, hostServer } from './server/worker-host';

export { LockedError } from './store/lock';
export type { ServerStats } from './server/server';
export { checkStoreFile, type CopyProgress, copyStore, storeFileFaults } from './store/copy';
export { StoreError } from './store/data-file';

/** The database that the URL names. */
const DATABASE = 'everstep';
/** Longest path of a unix socket: sockaddr_un has 108 bytes with the closing zero. */
const MAX_SOCKET_PATH = 107;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

export interface OpenStoreOptions {
  /** The store's folder: created if missing, accessible to its owner only. */
  dir: string;
  /**
   * Listens on a loopback port instead of a unix socket; clients log in with SCRAM-SHA-256. Port 0 picks a free one.
   */
  listen?: { host: string; port: number } & Credentials;
  /** Offers configureFailPoint, for tests of clients. */
  testCommands?: boolean;
  /** False in tests only: commits are not synced to disk. */
  sync?: boolean;
  /** Milliseconds between checks for expired documents. */
  ttlIntervalMs?: number;
  /** Milliseconds after which an idle cursor is closed. */
  cursorIdleMs?: number;
  /** Bytes reserved on disk, so that documents can be deleted when it is full; 0 for none. */
  reserveBytes?: number;
  /** Milliseconds between two runs of the background jobs that close idle cursors, shrink the file and keep the reserve. */
  housekeepingMs?: number;
  /** The server cannot write any more, or its thread died. */
  onFatal?(error: Error): void;
  /** The disk is full: writes except deletes fail with code 14031 until space is free. Called once per shortage. */
  onDiskFull?(error: Error): void;
}

/** How long a start waits for the previous owner of the folder, and how often it checks. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_POLL_MS = 50;

/** A running document server; drivers connect to `url`. */
export interface OpenedStore {
  readonly url: string;
  stats(): Promise<ServerStats>;
  close(): Promise<void>;
}

/**
 * Opens the store in `dir` and serves it by the MongoDB wire protocol.
 * @throws LockedError when another process has the folder; StoreError when it cannot be opened
 */
export async function openStore(given: OpenStoreOptions): Promise<OpenedStore> {
  const options = { ...given, dir: resolve(given.dir) };
  const { dir } = options;
  const onFatal = options.onFatal ?? warn;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  checkListen(options);
  const lock = await lockSoon(dir, onFatal);
  const place = listenPlace(options);
  try {
    const server = await start(options, place.listen);
    const url = urlOf(place.listen, server.port);
    writeUrl(dir, url);
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      try {
        await server.close();
      } finally {
        rmSync(join(dir, 'url'), { force: true });
        place.remove();
        lock.release();
      }
    };
    return { url, stats: () => server.stats(), close: () => (closing ??= close()) };
  } catch (error) {
    place.remove();
    lock.release();
    throw error;
  }
}

/** Lets tools on the same machine find the running server, since the folder is locked. */
function writeUrl(dir: string, url: string): void {
  const path = join(dir, 'url');
  try {
    writeFileSync(path, `${url}\n`, { mode: 0o600 });
  } catch (error) {
    rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    warn(new Error(`no space left for ${path}; tools will not find this process`));
  }
}

const warn = (error: Error): void => void process.stderr.write(`document store: ${error.message}\n`);

/** A killed process may take a while to exit and free its memory; a start right after it waits for the lock. */
async function lockSoon(dir: string, onLost: (error: Error) => void): Promise<Lock> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return takeLock(dir, onLost);
    } catch (error) {
      if (!(error instanceof LockedError) || performance.now() > deadline) throw error;
      await sleep(LOCK_POLL_MS);
    }
  }
}

function start(options: OpenStoreOptions, listen: Listen): Promise<HostedServer> {
  const serverOptions: ServerOptions = {
    dir: options.dir,
    listen,
    testCommands: options.testCommands ?? false,
    sync: options.sync ?? true,
    ttlIntervalMs: options.ttlIntervalMs ?? 60_000,
    cursorIdleMs: options.cursorIdleMs ?? 600_000,
    reserveBytes: options.reserveBytes ?? RESERVE_BYTES,
    housekeepingMs: options.housekeepingMs ?? 10_000,
  };
  const report = ({ kind, error }: StoreFault): void =>
    (kind === 'full' ? (options.onDiskFull ?? warn) : (options.onFatal ?? warn))(error);
  return hostServer(serverOptions, report);
}

interface ListenAddress {
  readonly listen: Listen;
  remove(): void;
}

function checkListen({ listen }: OpenStoreOptions): void {
  if (listen === undefined) return;
  if (!LOOPBACK.has(listen.host))
    throw new Error(`the document server listens on loopback only, not on ${listen.host}`);
  if (!listen.user || !listen.password) throw new Error('listening on TCP needs a user and a password');
}

function listenPlace({ dir, listen }: OpenStoreOptions): ListenAddress {
  if (listen !== undefined) {
    const { host, port, user, password } = listen;
    return { listen: { kind: 'tcp', host, port, credentials: { user, password } }, remove: () => undefined };
  }
  const inside = join(dir, 'mongo.sock');
  if (Buffer.byteLength(inside) <= MAX_SOCKET_PATH) {
    const remove = (): void => rmSync(inside, { force: true });
    // This process holds the lock, so an existing socket belongs to a dead process.
    remove();
    return { listen: { kind: 'socket', path: inside }, remove };
  }
  const folder = mkdtempSync(join(tmpdir(), 'everstep-'));
  return {
    listen: { kind: 'socket', path: join(folder, 'mongo.sock') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function urlOf(listen: Listen, port: number | undefined): string {
  if (listen.kind === 'socket') return `mongodb://${encodeURIComponent(listen.path)}/${DATABASE}?directConnection=true`;
  const { user, password } = listen.credentials;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `mongodb://${login}@${host}:${port}/${DATABASE}?directConnection=true&authSource=admin&authMechanism=SCRAM-SHA-256`;
}
