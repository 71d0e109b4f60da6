import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from './server/context';
import { type Lock, LockedError, takeLock } from './server/lock';
import { type Listen, type ServerOptions, type ServerStats, startServer } from './server/server';
import type { Trouble } from './store/scheduler';
import { type HostedServer, hostServer, inlineServer } from './server/worker-host';

export { LockedError } from './server/lock';
export type { ServerStats } from './server/server';
export { checkStoreFile, type CopyProgress, copyStore } from './store/copy';

/** The database that the URL names. */
const DATABASE = 'everstep';
/** Longest path of a unix socket: sockaddr_un has 108 bytes with the closing zero. */
const MAX_SOCKET_PATH = 107;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

export interface OpenStoreOptions {
  /** The store's own folder: made when missing, readable by its owner only. */
  dir: string;
  /** Listen on a loopback port instead of a unix socket; clients then log in by SCRAM-SHA-256. Port 0 picks a free one. */
  listen?: { host: string; port: number } & Credentials;
  /** Offer configureFailPoint: for tests of clients. */
  testCommands?: boolean;
  /** False only in tests: commits are not forced to disk. */
  sync?: boolean;
  /** Run in this thread rather than in a worker. The default where the code is not compiled, as no worker can load it. */
  inline?: boolean;
  /** Milliseconds between looks for expired documents. */
  ttlSweepMs?: number;
  /** Milliseconds after which an idle cursor is closed. */
  cursorIdleMs?: number;
  /** The server can no longer write, or its thread died. */
  onFatal?(error: Error): void;
  /** The disk is full: writes are refused with code 14031 until there is room. Told once per shortage. */
  onDiskFull?(error: Error): void;
}

/** How long a start waits for the owner of the folder to go, and how often it looks. */
const LOCK_PATIENCE_MS = 2_000;
const LOCK_LOOK_MS = 50;

/** A running document server; `url` is all that a driver needs. */
export interface OpenedStore {
  readonly url: string;
  stats(): Promise<ServerStats>;
  close(): Promise<void>;
}

/**
 * Opens the store in `dir` and serves it by the MongoDB wire protocol.
 * @throws LockedError when another live process has the folder; Error when it cannot be opened
 */
export async function openStore(given: OpenStoreOptions): Promise<OpenedStore> {
  const options = { ...given, dir: resolve(given.dir) };
  const { dir } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  checkListen(options);
  const lock = await lockSoon(dir);
  const place = listenPlace(options);
  try {
    const server = await start(options, place.listen);
    const url = urlOf(place.listen, server.port);
    // Tools on the same machine find the running server here, as the folder itself is taken.
    writeFileSync(join(dir, 'url'), `${url}\n`, { mode: 0o600 });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await server.close();
      rmSync(join(dir, 'url'), { force: true });
      place.remove();
      lock.release();
    };
    return { url, stats: () => server.stats(), close: () => (closing ??= close()) };
  } catch (error) {
    place.remove();
    lock.release();
    throw error;
  }
}

/**
 * A process that was killed may be a while in dying, with much memory to give back; a start right behind it must not be
 * refused for that.
 */
async function lockSoon(dir: string): Promise<Lock> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      return takeLock(dir);
    } catch (error) {
      if (!(error instanceof LockedError) || performance.now() > deadline) throw error;
      await sleep(LOCK_LOOK_MS);
    }
  }
}

async function start(options: OpenStoreOptions, listen: Listen): Promise<HostedServer> {
  const serverOptions: ServerOptions = {
    dir: options.dir,
    listen,
    testCommands: options.testCommands ?? false,
    sync: options.sync ?? true,
    ttlSweepMs: options.ttlSweepMs ?? 60_000,
    cursorIdleMs: options.cursorIdleMs ?? 600_000,
  };
  const say = (error: Error): void => void process.stderr.write(`document store: ${error.message}\n`);
  const report = ({ kind, error }: Trouble): void =>
    (kind === 'full' ? (options.onDiskFull ?? say) : (options.onFatal ?? say))(error);
  if (options.inline ?? __filename.endsWith('.ts')) return inlineServer(await startServer(serverOptions, report));
  return hostServer(serverOptions, report);
}

interface Place {
  readonly listen: Listen;
  remove(): void;
}

function checkListen({ listen }: OpenStoreOptions): void {
  if (listen === undefined) return;
  if (!LOOPBACK.has(listen.host))
    throw new Error(`the document server listens on loopback only, not on ${listen.host}`);
  if (!listen.user || !listen.password) throw new Error('listening on TCP needs a user and a password');
}

function listenPlace({ dir, listen }: OpenStoreOptions): Place {
  if (listen !== undefined) {
    const { host, port, user, password } = listen;
    return { listen: { kind: 'tcp', host, port, credentials: { user, password } }, remove: () => undefined };
  }
  const inside = join(dir, 'mongo.sock');
  if (Buffer.byteLength(inside) <= MAX_SOCKET_PATH) {
    const remove = (): void => rmSync(inside, { force: true });
    // The lock is ours, so a socket that is still there was left by a process that died.
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
