import { packed, Unpacked } from './packed';

/** A document of a segment: its rows are `start` to `start + count`. */
export interface DocumentEntry {
  readonly id: string;
  readonly revision: number;
  readonly start: number;
  readonly count: number;
}

/** What makes a document of a segment dead: the segment is from before `seq`, or the document from before `revision`. */
export interface Tombstone {
  readonly id: string;
  readonly seq: number;
  readonly revision: number;
}

/** The documents of a segment, sorted by the bytes of their ids. One whose rows are in two places has two entries. */
export class DocumentTable {
  readonly #revisions: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #ids: Buffer;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const sections = new Unpacked(bytes);
    this.#revisions = sections.numbers();
    this.#starts = sections.numbers();
    this.#counts = sections.numbers();
    this.#ends = sections.numbers();
    this.#ids = sections.text();
  }

  static pack(entries: readonly DocumentEntry[]): Uint8Array<ArrayBuffer> {
    const ids = entries.map(({ id }) => Buffer.from(id));
    const order = [...entries.keys()].sort((a, b) => Buffer.compare(ids[a] as Buffer, ids[b] as Buffer));
    const sorted = order.map((n) => entries[n] as DocumentEntry);
    const ends = new Uint32Array(entries.length);
    let end = 0;
    for (const [place, n] of order.entries()) ends[place] = end += (ids[n] as Buffer).length;
    return packed([
      Uint32Array.from(sorted, ({ revision }) => revision),
      Uint32Array.from(sorted, ({ start }) => start),
      Uint32Array.from(sorted, ({ count }) => count),
      ends,
      Buffer.concat(order.map((n) => ids[n] as Buffer)),
    ]);
  }

  get size(): number {
    return this.#ends.length;
  }

  id(ordinal: number): string {
    return this.#ids.toString('utf8', this.#from(ordinal), this.#ends[ordinal]);
  }

  revision(ordinal: number): number {
    return this.#revisions[ordinal] as number;
  }

  start(ordinal: number): number {
    return this.#starts[ordinal] as number;
  }

  count(ordinal: number): number {
    return this.#counts[ordinal] as number;
  }

  entry(ordinal: number): DocumentEntry {
    return {
      id: this.id(ordinal),
      revision: this.revision(ordinal),
      start: this.start(ordinal),
      count: this.count(ordinal),
    };
  }

  /** Where an id is or would be: the first entry that is not before it. */
  lowerBound(id: Buffer): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The entries of an id. */
  *find(id: string): IterableIterator<number> {
    const bytes = Buffer.from(id);
    for (let at = this.lowerBound(bytes); at < this.size && this.#compare(at, bytes) === 0; at++) yield at;
  }

  /** The entries that tombstones make dead in a segment of that `seq`. */
  dead(seq: number, tombstones: readonly Tombstone[]): Set<number> {
    const dead = new Set<number>();
    for (const stone of tombstones)
      for (const at of this.find(stone.id)) if (kills(stone, seq, this.revision(at))) dead.add(at);
    return dead;
  }

  #compare(ordinal: number, id: Buffer): number {
    return this.#ids.compare(id, 0, id.length, this.#from(ordinal), this.#ends[ordinal]);
  }

  #from(ordinal: number): number {
    return ordinal === 0 ? 0 : (this.#ends[ordinal - 1] as number);
  }
}

export const kills = (stone: Tombstone, seq: number, revision: number): boolean =>
  seq < stone.seq || revision < stone.revision;
