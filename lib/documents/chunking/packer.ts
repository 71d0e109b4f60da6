import { ParseError } from '../fault';
import type { Chunk, ChunkingOptions } from '../contract';
import { type Part, pieceBorder, sentences, skipSpace, wordBorder, wordStart } from './borders';
import { countTokens, pieceEnd } from './tokens';

/** What is put into chunks: a part of the text that fits into one. `prose` may be repeated in the next chunk. */
export interface Unit extends Part {
  readonly tokens: number;
  readonly page: number | null;
  readonly prose: boolean;
  /** What a chunk that begins with this is given before it: the header of its table. */
  readonly header: string | null;
}

/** A chunk that is not full. */
interface Open {
  readonly start: number;
  end: number;
  readonly header: string | null;
  tokens: number;
  page: number | null;
  /** Where the prose at its end begins; null when it ends with something else. */
  proseFrom: number | null;
  /** Holds something that no chunk before it has. */
  fresh: boolean;
  /** Holds something other than headings. */
  filled: boolean;
}

/**
 * Fills chunks, one after the other.
 *
 *  K1  No chunk has more than the most tokens, its repeated header included.
 *  K2  What two chunks share is prose, at most the overlap, and begins where a sentence or a word does.
 *  K3  Chunks begin ever later in the text, and end ever later.
 */
export class Packer {
  readonly chunks: Chunk[] = [];
  readonly #most: number;
  readonly #overlap: number;
  #path: readonly string[] = [];
  #open: Open | null = null;

  constructor(
    private readonly text: string,
    { maxTokens, overlapTokens }: ChunkingOptions,
    private readonly mostChunks: number,
  ) {
    this.#most = Math.max(1, maxTokens);
    this.#overlap = Math.min(overlapTokens, Math.floor(this.#most / 2));
  }

  /** Tokens of the chunk that is being filled. */
  get filledTokens(): number {
    return this.#open?.tokens ?? 0;
  }

  get page(): number | null {
    return this.#open?.page ?? null;
  }

  /** Whether a chunk has begun that holds more than headings. */
  get filled(): boolean {
    return this.#open?.filled ?? false;
  }

  /** The headings above what comes. Only between chunks, or after nothing but headings. */
  setPath(path: readonly string[]): void {
    this.#path = path;
  }

  fits({ start, end, tokens, header }: Unit): boolean {
    if (this.#open === null) return tokens + this.#headerTokens(header, start, tokens) <= this.#most;
    return this.#open.tokens + countTokens(this.text, this.#open.end, end) <= this.#most;
  }

  /** Puts a unit into the chunk, or into the next where it does not fit. It must fit into an empty one. */
  add(unit: Unit): void {
    if (!this.fits(unit)) this.next(unit);
    this.#append(unit);
  }

  /** Ends the chunk and begins another with the end of its prose, as far as `unit` fits in as well. */
  next(unit: Pick<Unit, 'end' | 'prose'>): void {
    const before = this.#open;
    this.close();
    if (before === null || !before.fresh || !unit.prose || before.proseFrom === null) return;
    // Counted together with the white space before it: a unit may begin within that, and both parts could count less.
    const needed = countTokens(this.text, before.end, unit.end);
    const start = this.#overlapStart(before, Math.min(this.#overlap, this.#most - needed));
    if (start === null) return;
    const tokens = countTokens(this.text, start, before.end);
    const { end } = before;
    this.#open = { start, end, header: null, tokens, page: null, proseFrom: start, fresh: false, filled: true };
  }

  /** Puts in what may be larger than a chunk: cut between words, or inside of those that are larger themselves. */
  addCut(unit: Unit): void {
    const { page, prose, header, end } = unit;
    for (let start = skipSpace(this.text, unit.start, end); start < end; ) {
      const room = this.#roomAt(start, header);
      let to = wordBorder(this.text, start, end, room);
      if (to === start && this.#open !== null) {
        this.next({ end: pieceEnd(this.text, start, end), prose });
        continue;
      }
      if (to === start) to = pieceBorder(this.text, start, end, room);
      this.#append({ start, end: to, tokens: countTokens(this.text, start, to), page, prose, header });
      start = skipSpace(this.text, to, end);
    }
  }

  /** Ends the chunk. One that has nothing of its own is dropped. */
  close(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || !open.fresh) return;
    if (this.chunks.length >= this.mostChunks)
      throw new ParseError(
        'too_large',
        `The document has more than ${this.mostChunks} chunks. Split it, or make the base's chunks larger.`,
      );
    const { start, end, tokens, page, header } = open;
    const text = (header === null ? '' : `${header}\n`) + this.text.slice(start, end);
    this.chunks.push({ n: this.chunks.length, text, page, heading: this.#path, start, end, tokens });
  }

  #append({ start, end, tokens, page, prose, header, heading }: Unit & { heading?: boolean }): void {
    const filled = heading !== true;
    if (this.#open === null) {
      const headerTokens = this.#headerTokens(header, start, tokens);
      this.#open = {
        start,
        end,
        header: headerTokens === 0 ? null : header,
        tokens: tokens + headerTokens,
        page,
        proseFrom: prose ? start : null,
        fresh: true,
        filled,
      };
      return;
    }
    const open = this.#open;
    // With the white space before it.
    open.tokens += countTokens(this.text, open.end, end);
    open.end = end;
    // The page of a chunk is that of what it has of its own.
    if (!open.fresh) open.page = page;
    open.proseFrom = prose ? (open.proseFrom ?? start) : null;
    open.fresh = true;
    open.filled ||= filled;
  }

  /** A heading is repeated in no chunk: it is in their path. */
  addHeading(unit: Unit): void {
    if (unit.tokens > this.#most) return this.addCut(unit);
    if (!this.fits(unit)) this.close();
    this.#append({ ...unit, heading: true });
  }

  /**
   * What a header adds to a chunk that begins at `start` with `tokens` of its table; 0 when it is left out for want of room.
   * The white space that the chunk begins with counts together with the line break before it.
   */
  #headerTokens(header: string | null, start: number, tokens: number): number {
    if (header === null) return 0;
    const space = this.text.slice(start, skipSpace(this.text, start, this.text.length));
    const own = countTokens(`${header}\n${space}`) - countTokens(space);
    return own * 2 <= this.#most && own + tokens <= this.#most ? own : 0;
  }

  #roomAt(start: number, header: string | null): number {
    if (this.#open === null) return this.#most - this.#headerTokens(header, start, 1);
    return this.#most - this.#open.tokens - countTokens(this.text, this.#open.end, start);
  }

  #overlapStart({ start, end, proseFrom }: Open, most: number): number | null {
    if (most <= 0) return null;
    const parts = [...sentences(this.text, proseFrom ?? end, end, true)].reverse();
    let found: number | null = null;
    let tokens = 0;
    let counted = end;
    for (const part of parts) {
      tokens += countTokens(this.text, part.start, counted);
      counted = part.start;
      if (part.start <= start || tokens > most) break;
      found = part.start;
    }
    const last = parts[0];
    if (found !== null || last === undefined) return found;
    return wordStart(this.text, last.start, end, countTokens(this.text, last.start, end), most);
  }
}
