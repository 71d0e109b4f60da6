import { keysOf, matches, type Payload, type QdrantFilter } from './filter';

interface Stored {
  readonly id: string;
  readonly vector: Float32Array;
  readonly payload: Payload;
}

/** A request that Qdrant would refuse, with its status. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Points, which are searched exactly. */
export class Collection {
  readonly indexes = new Map<string, { readonly data_type: string; readonly params?: unknown }>();
  #points = new Map<string, Stored>();

  constructor(
    readonly size: number,
    readonly hnsw: object,
  ) {}

  get count(): number {
    return this.#points.size;
  }

  payloads(): Payload[] {
    return [...this.#points.values()].map(({ payload }) => payload);
  }

  put(points: readonly { id: string; vector: readonly number[]; payload: Payload }[]): void {
    for (const { id, vector, payload } of points) {
      if (vector.length !== this.size)
        throw new Refused(400, `Wrong input: Vector dimension error: expected dim: ${this.size}, got ${vector.length}`);
      if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) throw new Refused(400, `${id} is no point id`);
      this.#points.set(id, { id, vector: unit(vector), payload });
    }
  }

  remove(filter: QdrantFilter): void {
    for (const { id } of this.#matching(filter)) this.#points.delete(id);
  }

  scroll(filter: QdrantFilter, limit: number, offset: string | undefined) {
    const found = this.#matching(filter)
      .filter(({ id }) => offset === undefined || id >= offset)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    return { points: found.slice(0, limit), next_page_offset: found[limit]?.id ?? null };
  }

  /** Hits with the same score are in the order of ids, which is arbitrary. */
  query(vector: readonly number[], filter: QdrantFilter, limit: number) {
    if (vector.length !== this.size)
      throw new Refused(400, `Wrong input: Vector dimension error: expected dim: ${this.size}, got ${vector.length}`);
    const wanted = unit(vector);
    return this.#matching(filter)
      .map((point) => ({
        ...point,
        score: point.vector.reduce((sum, value, n) => sum + value * (wanted[n] as number), 0),
      }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }

  #matching(filter: QdrantFilter): Stored[] {
    // As in strict mode: without an index the filter would read every point.
    const bare = keysOf(filter).find((key) => !this.indexes.has(key));
    if (bare !== undefined) throw new Refused(400, `Index required but not found for "${bare}"`);
    return [...this.#points.values()].filter(({ payload }) => matches(payload, filter));
  }
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => (length === 0 ? value : value / length));
}
