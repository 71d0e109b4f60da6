import { AppError } from '../../lib/errors';

const WINDOW_MS = 15 * 60_000;
/** Counters kept; the oldest leave first, so a flood of names costs memory only up to here. */
const MOST_COUNTERS = 50_000;

/** How many attempts count in a quarter of an hour, and what they are called. */
export interface ThrottleBounds {
  readonly perPair: number;
  readonly perAddress: number;
  readonly words: string;
}

/** Guesses of a password. */
const LOGINS: ThrottleBounds = { perPair: 10, perAddress: 100, words: 'Too many failed logins' };

interface Counter {
  count: number;
  /** End of the window that the first attempt opened. */
  until: number;
}

/**
 * Counts failures per pair of account and address, and per address. An attempt counts as failed from its start and is
 * taken back when it succeeds: otherwise a thousand parallel guesses would all pass before the first one fails.
 */
export class Throttle {
  readonly #pairs = new Map<string, Counter>();
  readonly #addresses = new Map<string, Counter>();

  constructor(private readonly bounds: ThrottleBounds = LOGINS) {}

  /** Admits an attempt; the answer is called when it succeeded. @throws AppError rate_limited with the seconds to wait */
  admit(account: string, address: string, now: number): () => void {
    const { perPair, perAddress, words } = this.bounds;
    const pair = current(this.#pairs, `${address}\n${account}`, now);
    const from = current(this.#addresses, address, now);
    const spent = [pair.count >= perPair && pair, from.count >= perAddress && from].find(Boolean);
    if (spent) {
      const seconds = Math.ceil((spent.until - now) / 1_000);
      throw new AppError('rate_limited', `${words}; try again in ${seconds} seconds`, { retry_after: seconds });
    }
    pair.count += 1;
    from.count += 1;
    return () => {
      // A success proves the account's owner: his earlier typing errors are forgiven, the address keeps the others'.
      pair.count = 0;
      from.count -= 1;
    };
  }
}

function current(counters: Map<string, Counter>, key: string, now: number): Counter {
  const known = counters.get(key);
  if (known !== undefined && known.until > now) return known;
  counters.delete(key);
  if (counters.size >= MOST_COUNTERS) counters.delete(counters.keys().next().value as string);
  const counter = { count: 0, until: now + WINDOW_MS };
  counters.set(key, counter);
  return counter;
}
