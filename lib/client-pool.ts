import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

/** A logged-in client of a server, reused by one user after another. */
export interface PoolClient {
  /** The client's connection: a client with a destroyed socket is not reused. */
  readonly socket: Socket;
  /** Resets the session. A client whose reset rejects is closed. */
  reset(): Promise<void>;
  close(): void;
}

/** One use of a client. */
export interface ClientUse<C extends PoolClient, T> {
  /** Server, user and database. */
  readonly place: string;
  /** Other login settings, such as the password. When they change, clients with the old ones are closed. */
  readonly credentials: string;
  /** Ends the use and closes its connection. */
  readonly signal: AbortSignal;
  /** Connects and logs in. The connection must end with the signal. */
  open(signal: AbortSignal): Promise<C>;
  /**
   * The first exchange of a use. If it fails on a reused client, another one is taken, as the server may have closed
   * it.
   */
  begin(client: C): Promise<void>;
  work(client: C): Promise<T>;
}

/** A source of clients. */
export interface Clients {
  use<C extends PoolClient, T>(use: ClientUse<C, T>): Promise<T>;
}

/** Opens a client for each use. */
export const SINGLE_USE: Clients = {
  async use({ signal, open, begin, work }) {
    const client = await open(signal);
    try {
      await begin(client);
      return await work(client);
    } finally {
      client.close();
    }
  },
};

/** Limits of a pool. */
export interface PoolLimits {
  /** Open connections of a tenant to one server; further uses wait. */
  readonly maxPerPlace: number;
  /** Idle connections of a tenant. */
  readonly maxIdlePerTenant: number;
  /** Idle connections of the process. */
  readonly maxIdle: number;
  readonly maxIdleMs: number;
  /** Connections older than this are replaced: the server's address may have changed. */
  readonly maxAgeMs: number;
  readonly maxResetMs: number;
}

export const POOL_LIMITS: PoolLimits = {
  maxPerPlace: 8,
  maxIdlePerTenant: 32,
  maxIdle: 256,
  maxIdleMs: 30_000,
  maxAgeMs: 600_000,
  maxResetMs: 5_000,
};

/** A client with the pool's bookkeeping. */
interface Entry {
  readonly client: PoolClient;
  readonly pool: Pool;
  /** Fingerprint of the credentials it logged in with. */
  readonly fingerprint: string;
  readonly openedAt: number;
  readonly stop: AbortController;
  expiry: NodeJS.Timeout | null;
}

/** The clients of one tenant at one server. */
interface Pool {
  readonly tenantId: string;
  readonly key: string;
  fingerprint: string;
  /** Busy, idle and opening connections. */
  open: number;
  /** Busy connections that are about to be released. */
  resetting: number;
  /** Idle clients, the most recently used last. */
  readonly idle: Entry[];
  /** Waiting uses, in FIFO order. */
  readonly waiting: Set<() => void>;
}

/**
 * Pools clients by tenant and server. A client belongs to one tenant, serves one use at a time, and is reused only
 * after a use without a fault and a reset of its session.
 */
export class ClientPools {
  readonly #pools = new Map<string, Pool>();
  /** Idle clients, least recently used first. */
  readonly #idle = new Set<Entry>();
  readonly #all = new Set<Entry>();
  #closed = false;

  constructor(private readonly limits: PoolLimits = POOL_LIMITS) {}

  /** Number of open connections: idle and total. */
  count(): { readonly idle: number; readonly open: number } {
    return { idle: this.#idle.size, open: this.#all.size };
  }

  of(tenantId: string): Clients {
    return { use: (use) => this.#use(tenantId, use) };
  }

  close(): void {
    this.#closed = true;
    for (const entry of [...this.#all]) this.#drop(entry);
  }

  async #use<C extends PoolClient, T>(tenantId: string, use: ClientUse<C, T>): Promise<T> {
    const pool = this.#poolOf(tenantId, use);
    for (;;) {
      const { entry, reused } = await this.#acquire(pool, use);
      // `open` created it for the same key.
      const client = entry.client as C;
      const abort = (): void => {
        entry.stop.abort(use.signal.reason);
        this.#drop(entry);
      };
      if (use.signal.aborted) abort();
      use.signal.addEventListener('abort', abort, { once: true });
      let begun = false;
      try {
        await use.begin(client);
        begun = true;
        const result = await use.work(client);
        void this.#release(entry);
        return result;
      } catch (fault) {
        this.#drop(entry);
        if (!reused || begun || use.signal.aborted) throw fault;
      } finally {
        use.signal.removeEventListener('abort', abort);
      }
    }
  }

  #poolOf(
    tenantId: string,
    { place, credentials }: Pick<ClientUse<PoolClient, unknown>, 'place' | 'credentials'>,
  ): Pool {
    const key = hash(tenantId, place);
    const fingerprint = hash(credentials);
    const known = this.#pools.get(key);
    const pool = known ?? { tenantId, key, fingerprint, open: 0, resetting: 0, idle: [], waiting: new Set() };
    this.#pools.set(key, pool);
    if (pool.fingerprint !== fingerprint) {
      pool.fingerprint = fingerprint;
      for (const entry of [...pool.idle]) this.#drop(entry);
    }
    return pool;
  }

  async #acquire<C extends PoolClient, T>(
    pool: Pool,
    use: ClientUse<C, T>,
  ): Promise<{ readonly entry: Entry; readonly reused: boolean }> {
    const fingerprint = hash(use.credentials);
    for (;;) {
      if (use.signal.aborted) {
        next(pool);
        throw use.signal.reason;
      }
      const entry = pool.idle.at(-1);
      if (entry !== undefined) {
        this.#leaveIdle(entry);
        const old = performance.now() - entry.openedAt > this.limits.maxAgeMs;
        if (!old && entry.fingerprint === fingerprint && !entry.client.socket.destroyed) return { entry, reused: true };
        this.#drop(entry);
      } else if (pool.open < this.limits.maxPerPlace && pool.resetting <= pool.waiting.size) {
        return { entry: await this.#open(pool, fingerprint, use), reused: false };
      } else await turn(pool, use.signal);
    }
  }

  async #open<C extends PoolClient, T>(pool: Pool, fingerprint: string, use: ClientUse<C, T>): Promise<Entry> {
    const stop = new AbortController();
    const abort = (): void => stop.abort(use.signal.reason);
    use.signal.addEventListener('abort', abort, { once: true });
    if (!this.#pools.has(pool.key)) this.#pools.set(pool.key, pool);
    pool.open += 1;
    try {
      const client = await use.open(stop.signal);
      const entry: Entry = { client, pool, fingerprint, openedAt: performance.now(), stop, expiry: null };
      this.#all.add(entry);
      client.socket.once('close', () => this.#drop(entry));
      if (this.#closed || client.socket.destroyed) this.#drop(entry);
      return entry;
    } catch (fault) {
      this.#leave(pool);
      throw fault;
    } finally {
      use.signal.removeEventListener('abort', abort);
    }
  }

  async #release(entry: Entry): Promise<void> {
    if (!this.#all.has(entry)) return;
    const { pool } = entry;
    pool.resetting += 1;
    const isReset = await inTime(entry.client.reset(), this.limits.maxResetMs);
    pool.resetting -= 1;
    // The state of its session is unknown.
    if (!isReset) return this.#drop(entry);
    if (!this.#all.has(entry)) return;
    if (entry.fingerprint !== pool.fingerprint) return this.#drop(entry);
    entry.expiry = setTimeout(() => this.#drop(entry), this.limits.maxIdleMs).unref();
    pool.idle.push(entry);
    this.#idle.add(entry);
    this.#trim(pool.tenantId);
    next(pool);
  }

  /** Closes the least recently used idle connections above the limits. */
  #trim(tenantId: string): void {
    const own = [...this.#idle].filter(({ pool }) => pool.tenantId === tenantId);
    if (own.length > this.limits.maxIdlePerTenant) this.#drop(own[0] as Entry);
    const [oldest] = this.#idle;
    if (oldest !== undefined && this.#idle.size > this.limits.maxIdle) this.#drop(oldest);
  }

  #leaveIdle(entry: Entry): void {
    this.#idle.delete(entry);
    const at = entry.pool.idle.indexOf(entry);
    if (at !== -1) entry.pool.idle.splice(at, 1);
    if (entry.expiry !== null) clearTimeout(entry.expiry);
  }

  #drop(entry: Entry): void {
    if (!this.#all.delete(entry)) return;
    this.#leaveIdle(entry);
    entry.client.close();
    this.#leave(entry.pool);
  }

  #leave(pool: Pool): void {
    pool.open -= 1;
    next(pool);
    const unused = pool.open === 0 && pool.waiting.size === 0;
    if (unused && this.#pools.get(pool.key) === pool) this.#pools.delete(pool.key);
  }
}

/** Whether work succeeds within the time limit. */
async function inTime(done: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const settled = done.then(
    () => true,
    () => false,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

/** Resolves when a connection may be free. */
function turn(pool: Pool, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      pool.waiting.delete(go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    pool.waiting.add(go);
    signal.addEventListener('abort', go, { once: true });
  });
}

function next(pool: Pool): void {
  const [first] = pool.waiting;
  first?.();
}

const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');
