import { type JsonObject, jsonSize } from '../../../lib/json';

/** Rows of one answer may have so many characters together, as JSON. */
const MAX_CHARS = 8 * 1024 * 1024;

/** Rows as they come, up to a number and a size. */
export class Rows {
  readonly list: JsonObject[] = [];
  #chars = 0;
  #truncated = false;

  constructor(
    private readonly max: number,
    private readonly maxChars = MAX_CHARS,
  ) {}

  /** How large the rows are together, as JSON. */
  get chars(): number {
    return this.#chars;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** Keeps a row if it fits; after the first that does not fit, none is kept. */
  add(row: () => JsonObject): void {
    if (this.#truncated) return;
    if (this.list.length >= this.max) {
      this.#truncated = true;
      return;
    }
    const made = row();
    this.#chars += jsonSize(made);
    if (this.#chars > this.maxChars) this.#truncated = true;
    else this.list.push(made);
  }
}

/** An object of column names and values. Of duplicate names the last one wins; no name is special. */
export const rowOf = (names: readonly string[], values: readonly JsonObject[string][]): JsonObject =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
