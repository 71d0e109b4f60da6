import { compileDot, type Dot, LANE_FLOATS } from './simd';

/** Of WebAssembly, and the unit in which rows get memory: whatever comes and goes, nothing is left in between. */
export const PAGE_BYTES = 65_536;
/** The most that 32 bits can address. */
const MOST_PAGES = 65_536;
/** One page for the query, one for scores. */
const QUERY_AT = 0;
const SCORES_AT = PAGE_BYTES;
const FIRST_PAGES = 2;
/** Grown by so many at least, as growing takes a system call. */
const GROWTH_PAGES = 64;

/** All that rows can take. */
export const MOST_ARENA_BYTES = (MOST_PAGES - FIRST_PAGES) * PAGE_BYTES;

/** The longest vector: a row lies within a page. */
export const MOST_DIMENSIONS = PAGE_BYTES / Float32Array.BYTES_PER_ELEMENT;

/** Bytes of a row of that many floats. */
export const rowBytes = (dimension: number): number =>
  Math.ceil(dimension / LANE_FLOATS) * LANE_FLOATS * Float32Array.BYTES_PER_ELEMENT;

const rowsPerPage = (dimension: number): number => Math.floor(PAGE_BYTES / rowBytes(dimension));

/** Bytes that rows take in an arena. */
export const arenaBytes = (rows: number, dimension: number): number =>
  Math.ceil(rows / rowsPerPage(dimension)) * PAGE_BYTES;

/** Rows in an arena: page by page, as many as fit into each. */
export interface ArenaRows {
  readonly rows: number;
  readonly dimension: number;
  readonly pages: readonly number[];
}

/** The linear memory in which vectors lie while they are searched. It grows with what is put into it, and never shrinks. */
export class Arena {
  readonly #free: number[] = [];
  #pages = FIRST_PAGES;

  private constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly dot: Dot,
  ) {}

  static async create(): Promise<Arena> {
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
    return new Arena(memory, await compileDot(memory));
  }

  /** Copies rows of unit length in. @throws RangeError when there is no memory left */
  put(vectors: Float32Array, dimension: number): ArenaRows {
    const rows = vectors.length / dimension;
    const perPage = rowsPerPage(dimension);
    const pages = this.#take(Math.ceil(rows / perPage));
    const stride = rowBytes(dimension) / Float32Array.BYTES_PER_ELEMENT;
    for (const [n, page] of pages.entries()) {
      const place = new Float32Array(
        this.memory.buffer,
        page * PAGE_BYTES,
        PAGE_BYTES / Float32Array.BYTES_PER_ELEMENT,
      );
      // What was there before would be counted in where a row is filled up.
      place.fill(0);
      for (let row = n * perPage, at = 0; row < Math.min(rows, (n + 1) * perPage); row++, at += stride)
        place.set(vectors.subarray(row * dimension, (row + 1) * dimension), at);
    }
    return { rows, dimension, pages };
  }

  remove({ pages }: ArenaRows): void {
    this.#free.push(...pages);
  }

  /** Copies a row out. */
  copy({ dimension, pages }: ArenaRows, row: number, to: Float32Array, at: number): void {
    const perPage = rowsPerPage(dimension);
    const page = pages[Math.floor(row / perPage)] as number;
    const place = page * PAGE_BYTES + (row % perPage) * rowBytes(dimension);
    to.set(new Float32Array(this.memory.buffer, place, dimension), at);
  }

  /** What `scores` compares with until it is set again. */
  setQuery(query: Float32Array): void {
    const place = new Float32Array(this.memory.buffer, QUERY_AT, PAGE_BYTES / Float32Array.BYTES_PER_ELEMENT);
    place.fill(0).set(query);
  }

  /** Dot products of the query with rows from `from` on, up to `to` or the end of the page: a view, good until the next call. */
  scores({ dimension, pages }: ArenaRows, from: number, to: number): Float32Array {
    const perPage = rowsPerPage(dimension);
    const first = from % perPage;
    const rows = Math.min(to - from, perPage - first);
    const page = pages[Math.floor(from / perPage)] as number;
    const bytes = rowBytes(dimension);
    this.dot(QUERY_AT, page * PAGE_BYTES + first * bytes, rows, bytes, SCORES_AT);
    return new Float32Array(this.memory.buffer, SCORES_AT, rows);
  }

  #take(count: number): number[] {
    const short = count - this.#free.length;
    if (short > 0) {
      const growth = Math.min(Math.max(short, GROWTH_PAGES), Math.max(short, MOST_PAGES - this.#pages));
      this.memory.grow(growth);
      for (let page = this.#pages + growth - 1; page >= this.#pages; page--) this.#free.push(page);
      this.#pages += growth;
    }
    return Array.from({ length: count }, () => this.#free.pop() as number);
  }
}
