/**
 * How long queued work may hold the main thread per iteration of the event loop. A piece of work is not interrupted.
 */
const MAX_SLICE_MS = 10;
/** The limit including work of keys with little usage, which skips the queue. */
const MAX_LIGHT_SLICE_MS = 20;
/** Usage above the minimum up to which a key skips the queue. */
const MAX_LIGHT_MS = 2;
/** Attempts that may start per iteration of the event loop. */
const MAX_ATTEMPTS = 64;
/** Minimum charge per piece of work, so that keys alternate even when the clock does not advance. */
const MIN_PIECE_MS = MAX_SLICE_MS / MAX_ATTEMPTS;
/** Work that holds the thread for longer is reported. */
const MAX_UNREPORTED_MS = 100;

/** The key of work that belongs to no tenant or client. */
export const INTERNAL = 'internal';

/** Thread usage and queues of a key. Continued work comes before new attempts. */
interface Account {
  usedMs: number;
  readonly pieces: (() => void)[];
  readonly attempts: (() => void)[];
}

const isIdle = ({ pieces, attempts }: Account): boolean => pieces.length + attempts.length === 0;

/**
 * Shares the main thread fairly between keys: tenants, or clients whose tenant is unknown. Each key has a queue, and
 * the key with the least usage is served first, so work of one tenant waits for one slice of each other tenant at most.
 * After 10 ms the event loop continues, so that I/O and timers are handled.
 *
 * Journals do not depend on it: it only decides when work is done.
 */
export class FairScheduler {
  readonly #accounts = new Map<string, Account>();
  #queued = 0;
  /** Usage of the last served key. New keys start with it, so that idle time earns no credit. */
  #floorMs = 0;
  #served: Account | null = null;
  #servedSince = 0;
  /** The served work has not used its grant yet. */
  #isGranted = false;
  #isUnderWay = false;
  #since = 0;
  #left = MAX_ATTEMPTS;
  /** Time that measured work inside of the measured work under way has taken. */
  #nestedMs = 0;

  /** `afterOthers` calls back in the next iteration of the event loop; `time` is monotonic, in milliseconds. */
  constructor(
    private readonly afterOthers: (goOn: () => void) => void = setImmediate,
    private readonly time: () => number = () => performance.now(),
  ) {}

  /** Called before an attempt starts: null if it may start now. Otherwise the caller waits and asks again. */
  take(key: string): Promise<void> | null {
    const account = this.#accounts.get(key);
    this.#begin();
    const isGranted = this.#isGranted && account === this.#served;
    if (!isGranted) {
      const hasLeft = this.#left > 0 || this.#isLight(account);
      const isBehind = account !== undefined && !isIdle(account);
      if (!hasLeft || isBehind || !this.#mayBegin(account)) return this.#wait(key, 'attempts');
    }
    this.#isGranted &&= !isGranted;
    this.#left -= 1;
    this.#charge(key, MIN_PIECE_MS);
    return null;
  }

  /** Called before any other piece of work: null if it may start now. */
  pause(key: string): Promise<void> | null {
    return this.tryBegin(key) ? null : this.next(key);
  }

  /** Called before any other piece of work of a caller that does not wait: true if it may start now, which it then does. */
  tryBegin(key: string): boolean {
    const account = this.#accounts.get(key);
    if (this.#isGranted && account === this.#served) {
      this.#isGranted = false;
      return true;
    }
    this.#begin();
    return this.#mayBegin(account);
  }

  /** Resolves when the key is served next: in a later iteration, or after its queued work. */
  next(key: string): Promise<void> {
    this.#begin();
    return this.#wait(key, 'pieces');
  }

  /** Runs a piece of work; calls `onLong` when it held the thread for long. */
  measured<T>(key: string, work: () => T, onLong: (tookMs: number) => void): T {
    const began = this.time();
    const outerNestedMs = this.#nestedMs;
    this.#nestedMs = 0;
    try {
      return work();
    } finally {
      const tookMs = this.time() - began;
      // Measured work inside of this work has been charged and reported itself.
      const ownMs = tookMs - this.#nestedMs;
      this.#nestedMs = outerNestedMs + tookMs;
      // Served work is charged as a whole in `#goOn`.
      if (this.#served === null) this.#charge(key, ownMs);
      if (ownMs >= MAX_UNREPORTED_MS) onLong(ownMs);
    }
  }

  #wait(key: string, queue: 'pieces' | 'attempts'): Promise<void> {
    this.#queued += 1;
    return new Promise((resolve) => this.#accountOf(key)[queue].push(resolve));
  }

  /** True when time is left in this slice and the key has no queued pieces. */
  #mayBegin(account: Account | undefined): boolean {
    if (account !== undefined && account.pieces.length > 0) return false;
    const isAhead = account !== this.#served && this.#isLight(account);
    return this.time() - this.#since < (isAhead ? MAX_LIGHT_SLICE_MS : MAX_SLICE_MS);
  }

  #isLight(account: Account | undefined): boolean {
    return account === undefined || account.usedMs - this.#floorMs < MAX_LIGHT_MS;
  }

  #charge(key: string, ms: number): void {
    this.#accountOf(key).usedMs += ms;
  }

  #accountOf(key: string): Account {
    const known = this.#accounts.get(key);
    if (known !== undefined) {
      if (isIdle(known)) known.usedMs = Math.max(known.usedMs, this.#floorMs);
      return known;
    }
    const account: Account = { usedMs: this.#floorMs, pieces: [], attempts: [] };
    this.#accounts.set(key, account);
    return account;
  }

  /** Starts a slice. It ends in the next iteration of the event loop. */
  #begin(): void {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    this.#left = MAX_ATTEMPTS;
    this.#since = this.time();
    this.afterOthers(() => {
      this.#isUnderWay = false;
      this.#forgetIdle();
      if (this.#queued === 0) return;
      this.#begin();
      this.#serve();
    });
  }

  #forgetIdle(): void {
    for (const [key, account] of this.#accounts)
      if (isIdle(account) && (this.#queued === 0 || account.usedMs <= this.#floorMs)) this.#accounts.delete(key);
  }

  #serve(): void {
    let least: Account | null = null;
    for (const account of this.#accounts.values())
      if (!isIdle(account) && (least === null || account.usedMs < least.usedMs)) least = account;
    const resume = least?.pieces.shift() ?? least?.attempts.shift();
    if (least === null || resume === undefined) return;
    this.#queued -= 1;
    this.#floorMs = least.usedMs;
    this.#served = least;
    this.#servedSince = this.time();
    this.#isGranted = true;
    resume();
    // nextTick runs after all microtasks: the resumed work has finished its piece or awaits something else.
    queueMicrotask(() => process.nextTick(() => this.#goOn()));
  }

  #goOn(): void {
    const now = this.time();
    if (this.#served !== null) this.#served.usedMs += MIN_PIECE_MS + now - this.#servedSince;
    this.#served = null;
    this.#isGranted = false;
    if (this.#queued > 0 && this.#left > 0 && now - this.#since < MAX_SLICE_MS) this.#serve();
  }
}

/** Shared by all work of a process, except simulated hosts. */
export const fairScheduler = new FairScheduler();
