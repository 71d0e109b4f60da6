/** Random numbers from a seed: the same seed gives the same numbers (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `max`. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Picks an item with a probability proportional to its weight. */
  pick<T>(weighted: readonly (readonly [weight: number, thing: T])[]): T {
    let left = this.next() * weighted.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, thing] of weighted) if ((left -= weight) < 0) return thing;
    return (weighted.at(-1) as readonly [number, T])[1];
  }
}
