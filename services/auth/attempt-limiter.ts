import { createCache } from '../../lib/cache';
import { networkOf } from '../../lib/client-network';
import { sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import type { SharedState } from '../../lib/redis/shared-state';

const WINDOW_MS = 15 * 60_000;
/** Counters in memory; the least recently used one leaves first. */
const MAX_COUNTERS = 50_000;
/** A /48 of IPv6 may fail as often as this many of its networks. */
const NETWORKS_PER_SITE = 4;
const KNOWN_MS = 30 * 24 * 3_600_000;

/** How many attempts count in a quarter of an hour, and what they are called. */
interface AttemptBounds {
  /** Prefix of the counters in Redis. */
  readonly name: string;
  readonly perPair: number;
  readonly perAddress: number;
  /** From all networks together that have never succeeded; absent: not bounded. */
  readonly perAccount?: number;
  readonly words: string;
}

/** Guesses of a password. */
const LOGINS: AttemptBounds = {
  name: 'login',
  perPair: 10,
  perAddress: 100,
  perAccount: 100,
  words: 'Too many failed logins',
};

interface Counter {
  count: number;
  /** End of the window that the first attempt opened. */
  until: number;
}

interface Bound {
  readonly key: string;
  readonly max: number;
}

/**
 * Counts failures per account and network, per network, and per account. An attempt counts as failed from its start and
 * is taken back when it succeeds: otherwise a thousand parallel guesses would all pass before the first one fails.
 *
 * A network from which a user has signed in to the account is exempt from the account's limit, so that guesses from many
 * networks cannot keep the owner out. With Redis, all processes count together; each counts by itself as well.
 */
export class AttemptLimiter {
  readonly #counters = createCache<Counter>({ max: MAX_COUNTERS });
  /** Accounts and networks of successes. */
  readonly #known = createCache<true>({ max: MAX_COUNTERS, ttlMs: KNOWN_MS, now: () => this.#now });
  #now = 0;

  constructor(
    private readonly bounds: AttemptBounds = LOGINS,
    private readonly shared: SharedState | null = null,
  ) {}

  /** Admits an attempt; the answer is called when it succeeded. @throws AppError rate_limited with the seconds to wait */
  async admit(account: string, address: string, now: number): Promise<() => void> {
    this.#now = now;
    const { network, site } = networkOf(address);
    const { perPair, perAddress, perAccount } = this.bounds;
    const pair = { key: `pair\n${network}\n${account}`, max: perPair };
    const others: Bound[] = [{ key: `network\n${network}`, max: perAddress }];
    if (site !== null) others.push({ key: `site\n${site}`, max: perAddress * NETWORKS_PER_SITE });
    if (perAccount !== undefined && !(await this.#isKnown(pair.key)))
      others.push({ key: `account\n${account}`, max: perAccount });
    const counters = this.#admitHere([pair, ...others], now);
    await this.#admitShared([pair, ...others]);
    return () => {
      // A success proves the account's owner: earlier typing errors are forgiven, the network keeps the others'.
      for (const counter of counters) counter.count -= 1;
      const own = counters[0] as Counter;
      own.count = 0;
      this.#charge(pair, -perPair);
      for (const bound of others) this.#charge(bound, -1);
      if (perAccount !== undefined) this.#remember(pair.key, now);
    };
  }

  /** The same in this process alone, and at once; what counts is never taken back. @throws AppError rate_limited */
  admitLocally(account: string, address: string, now: number): void {
    const { perPair, perAddress } = this.bounds;
    const bounds = [
      { key: `pair\n${address}\n${account}`, max: perPair },
      { key: `network\n${address}`, max: perAddress },
    ];
    this.#admitHere(bounds, now);
  }

  /** In one go, so that of parallel attempts none passes between the check and the count. @throws AppError */
  #admitHere(bounds: readonly Bound[], now: number): Counter[] {
    const counters = bounds.map(({ key }) => this.#current(key, now));
    const spent = counters.find(({ count }, index) => count >= (bounds[index] as Bound).max);
    if (spent !== undefined) throw this.#refusal(Math.ceil((spent.until - now) / 1_000));
    for (const counter of counters) counter.count += 1;
    return counters;
  }

  /** @throws AppError */
  async #admitShared(bounds: readonly Bound[]): Promise<void> {
    const { shared } = this;
    if (shared === null || shared.unavailableReason !== null) return;
    const taken = await Promise.all(bounds.map(({ key, max }) => shared.take(this.#nameOf(key), perSecond(max), max)));
    const empty = taken.findIndex(({ kind }) => kind === 'empty');
    if (empty < 0) return;
    taken.forEach(({ kind }, index) => kind === 'taken' && this.#charge(bounds[index] as Bound, -1));
    throw this.#refusal(Math.ceil(1 / perSecond((bounds[empty] as Bound).max)));
  }

  #refusal(seconds: number): AppError {
    return new AppError('rate_limited', `${this.bounds.words}; try again in ${seconds} seconds`, {
      retry_after: seconds,
    });
  }

  #charge({ key, max }: Bound, cost: number): void {
    if (this.shared?.unavailableReason === null) void this.shared.take(this.#nameOf(key), perSecond(max), max, cost);
  }

  #remember(pairKey: string, now: number): void {
    this.#known.set(pairKey, true);
    void this.shared?.put(`known:${this.#nameOf(pairKey)}`, 'true', now + KNOWN_MS);
  }

  async #isKnown(pairKey: string): Promise<boolean> {
    if (this.#known.get(pairKey) === true) return true;
    return this.shared !== null && (await this.shared.read(`known:${this.#nameOf(pairKey)}`)) === 'true';
  }

  /** Names of accounts come from anybody, and may be long. */
  #nameOf(key: string): string {
    return `${this.bounds.name}:${sha256(key)}`;
  }

  #current(key: string, now: number): Counter {
    const known = this.#counters.get(key);
    if (known !== undefined && known.until > now) return known;
    const counter = { count: 0, until: now + WINDOW_MS };
    this.#counters.set(key, counter);
    return counter;
  }
}

const perSecond = (max: number): number => (max * 1_000) / WINDOW_MS;
