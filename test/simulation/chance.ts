/**
 * Random numbers from a seed. `Dice` is a sequence, for making plans; `noise` depends on its key alone, for everything that
 * happens while a plan is played: removing an act from a plan must not change the random numbers of the rest.
 */

const GOLDEN = 0x9e3779b9;

/** Spreads the bits of a number (the finalizer of MurmurHash3). */
function spread(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = spread(seed ^ GOLDEN);
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + GOLDEN) | 0;
    return spread(this.#state) / 2 ** 32;
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)] as T;
  }
}

/** A hash of a text (FNV-1a), with any initial value. */
export function hashOf(text: string, begin = 0x811c9dc5): number {
  let hash = begin;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** From 0 up to 1, the same for the same seed and number. */
export const fraction = (seed: number, number: number): number =>
  spread(Math.imul(number, GOLDEN) ^ spread(seed)) / 2 ** 32;

/** From 0 up to 1, the same for the same seed and key. */
export const noise = (seed: number, key: string): number => fraction(seed, hashOf(key));
