import { packed, Unpacked } from './packed';
import { PostingsReader, VarintWriter } from './postings';

/** The words of a segment's rows: for each term, sorted, the rows that have it. */
export class LexicalRows {
  /** Number of each row in its document. */
  readonly ns: Uint32Array;
  /** Terms of each row, counted as often as they are there. */
  readonly lengths: Uint32Array;
  readonly #termEnds: Uint32Array;
  readonly #frequencies: Uint32Array;
  readonly #postingEnds: Uint32Array;
  readonly #terms: Buffer;
  readonly #postings: Buffer;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const sections = new Unpacked(bytes);
    this.ns = sections.numbers();
    this.lengths = sections.numbers();
    this.#termEnds = sections.numbers();
    this.#frequencies = sections.numbers();
    this.#postingEnds = sections.numbers();
    this.#terms = sections.text();
    this.#postings = sections.text();
  }

  get terms(): number {
    return this.#termEnds.length;
  }

  term(place: number): string {
    return this.#terms.toString('utf8', before(this.#termEnds, place), this.#termEnds[place]);
  }

  /** The place of a term; -1 when no row has it. */
  find(term: string): number {
    let low = 0;
    let high = this.terms - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.term(middle);
      if (found === term) return middle;
      if (found < term) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** How many rows have the term of a place, dead ones too. */
  frequency(place: number): number {
    return this.#frequencies[place] as number;
  }

  postings(place: number): PostingsReader {
    return new PostingsReader(this.#postings, before(this.#postingEnds, place), this.#postingEnds[place] as number);
  }
}

const before = (ends: Uint32Array, place: number): number => (place === 0 ? 0 : (ends[place - 1] as number));

/** Writes the terms of a segment one by one, in their order (that of UTF-16 code units, which is JavaScript's). */
export class LexicalWriter {
  readonly #terms: Buffer[] = [];
  readonly #termEnds: number[] = [];
  readonly #frequencies: number[] = [];
  readonly #postingEnds: number[] = [];
  readonly #postings = new VarintWriter();
  #termBytes = 0;
  #row = -1;
  #frequency = 0;

  /** A row of the term that `end` is going to name; rows rise. */
  add(row: number, count: number): void {
    this.#postings.write(row - this.#row);
    this.#postings.write(count);
    this.#row = row;
    this.#frequency += 1;
  }

  /** What has been added since the last term is this term's; nothing is written for a term without rows. */
  end(term: string): void {
    if (this.#frequency > 0) {
      const bytes = Buffer.from(term);
      this.#terms.push(bytes);
      this.#termEnds.push((this.#termBytes += bytes.length));
      this.#frequencies.push(this.#frequency);
      this.#postingEnds.push(this.#postings.length);
    }
    this.#row = -1;
    this.#frequency = 0;
  }

  done(ns: Uint32Array, lengths: Uint32Array): Uint8Array<ArrayBuffer> {
    return packed([
      ns,
      lengths,
      Uint32Array.from(this.#termEnds),
      Uint32Array.from(this.#frequencies),
      Uint32Array.from(this.#postingEnds),
      Buffer.concat(this.#terms),
      this.#postings.done(),
    ]);
  }
}
