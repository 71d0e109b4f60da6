import { Notes } from './notes';

/** Parts of a step whose attempt is cut off right after its `k`th part was recorded. */
export class CutNotes extends Notes {
  #left: number;

  constructor(k: number) {
    super();
    this.#left = k;
    const record = this.once;
    Object.assign(this, {
      once: (async (key, act, interrupted) => {
        const known = this.noted(key);
        const value = await record(key, act, interrupted);
        if (known === undefined && --this.#left === 0) throw new Error('cut off');
        return value;
      }) satisfies Notes['once'],
    });
  }

  mend(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }
}
