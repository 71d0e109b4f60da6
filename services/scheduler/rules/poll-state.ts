import { sha256 } from '../../../lib/crypto';
import { isObject, type Json } from '../../../lib/json';

/** The state of a source. Times are epoch milliseconds. */
export interface PollState {
  /** The cursor of the last poll; null before the existing items are known. */
  readonly cursor: Json;
  /** Short hashes of the items that need no start, the newest last. */
  readonly seen: string;
  readonly polled_at: number | null;
  readonly ok_at: number | null;
  /** Consecutive failures. */
  readonly failures: number;
  readonly trouble: { readonly code: string; readonly message: string } | null;
  /** Items that started a run or were refused. */
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

/** The state after a pause. Items that arrived during the pause count as existing items. */
export const beginAgain = (state: PollState): PollState => ({ ...state, cursor: null, failures: 0, trouble: null });

export const writePollState = (state: PollState): string => JSON.stringify(state);

/** @throws SyntaxError for a text that `writePollState` did not write */
export function readPollState(text: string | null): PollState {
  const state: unknown = text === null ? null : JSON.parse(text);
  return isObject(state) ? { ...NEVER_POLLED, ...state } : NEVER_POLLED;
}

/** Characters of an item's hash: 72 bits. */
const HASH = 12;
/** More items than any source returns at a time, so that the items that it still returns stay known. */
const MAX_SEEN = 2_000;

/** A short hash of an item's id. */
export const itemHash = (id: string): string => Buffer.from(sha256(id), 'hex').toString('base64url').slice(0, HASH);

/**
 * The last two thousand items that a source returned and that need no start. An older item that the source returns again
 * finds its run.
 */
export class SeenItems {
  readonly #hashes: Set<string>;

  constructor(text: string) {
    this.#hashes = new Set(text.match(/.{12}/g) ?? []);
  }

  has(id: string): boolean {
    return this.#hashes.has(itemHash(id));
  }

  /** Adds an item as the newest one. */
  add(id: string): void {
    const hash = itemHash(id);
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
  }

  toString(): string {
    return [...this.#hashes].slice(-MAX_SEEN).join('');
  }
}
