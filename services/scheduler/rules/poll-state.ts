import { sha256 } from '../../../lib/crypto';
import { isObject, type Json } from '../../../lib/json';

/** What is known of a source. Times are epoch milliseconds. */
export interface PollState {
  /** What the source has answered last; null while what is there already is not known. */
  readonly cursor: Json;
  /** Items that need no start any more, by a short hash each; the newest last. */
  readonly seen: string;
  readonly polled_at: number | null;
  readonly ok_at: number | null;
  /** Tries in a row that went wrong. */
  readonly failures: number;
  readonly trouble: { readonly code: string; readonly message: string } | null;
  /** Items that have started a run, or were refused. */
  readonly items: number;
}

export const NEVER_POLLED: PollState = {
  cursor: null,
  seen: '',
  polled_at: null,
  ok_at: null,
  failures: 0,
  trouble: null,
  items: 0,
};

/** A source that was paused: what has come meanwhile is there already when it is asked again. */
export const beginAgain = (state: PollState): PollState => ({ ...state, cursor: null, failures: 0, trouble: null });

export const writePollState = (state: PollState): string => JSON.stringify(state);

/** @throws SyntaxError for what `writePollState` has not written */
export function readPollState(text: string | null): PollState {
  const state: unknown = text === null ? null : JSON.parse(text);
  return isObject(state) ? { ...NEVER_POLLED, ...state } : NEVER_POLLED;
}

/** Characters of a hash: 72 bits. */
const HASH = 12;
/** More than any source shows at a time, so that what it goes on showing stays known. */
const MOST_SEEN = 2_000;

/** A short name for an item, whatever its source calls it. */
export const itemHash = (id: string): string => Buffer.from(sha256(id), 'hex').toString('base64url').slice(0, HASH);

/**
 * The items of a source that need no start any more: the last two thousand of those that it has shown. What was
 * forgotten, and comes again, finds the run that it has started.
 */
export class SeenItems {
  readonly #hashes: Set<string>;

  constructor(text: string) {
    this.#hashes = new Set(text.match(/.{12}/g) ?? []);
  }

  has(id: string): boolean {
    return this.#hashes.has(itemHash(id));
  }

  /** Remembers an item, as the newest. */
  add(id: string): void {
    const hash = itemHash(id);
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
  }

  toString(): string {
    return [...this.#hashes].slice(-MOST_SEEN).join('');
  }
}
