/** Limits of concurrent loads: histories, and their characters in total. */
const MAX_CONCURRENT_LOADS = 8;
export const MAX_LOADING_CHARS = 64 * 1024 * 1024;

/** Assumed size of a history of unknown size. */
export const UNKNOWN_CHARS = MAX_LOADING_CHARS / 4;

/** Limits concurrent loads, first come, first served. A history larger than the limit loads alone. */
export class LoadBudget {
  #loading = 0;
  #chars = 0;
  readonly #queue: { readonly chars: number; readonly begin: () => void }[] = [];

  /** Resolves when the history may be loaded, with a function to call once it is. */
  acquire(chars: number): Promise<() => void> {
    return new Promise((resolve) => {
      this.#queue.push({ chars, begin: () => resolve(() => this.#release(chars)) });
      this.#next();
    });
  }

  #release(chars: number): void {
    this.#loading -= 1;
    this.#chars -= chars;
    this.#next();
  }

  #next(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next.chars); next = this.#queue[0]) {
      this.#queue.shift();
      this.#loading += 1;
      this.#chars += next.chars;
      next.begin();
    }
  }

  #fits(chars: number): boolean {
    return this.#loading === 0 || (this.#loading < MAX_CONCURRENT_LOADS && this.#chars + chars <= MAX_LOADING_CHARS);
  }
}
