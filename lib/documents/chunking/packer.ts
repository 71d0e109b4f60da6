import { ParseError } from '../fault';
import type { Chunk, ChunkingOptions } from '../contract';
import { type TextRange, pieceBorder, sentences, skipSpace, wordBorder, wordStart } from './borders';
import { countTokens, pieceEnd } from './tokens';

/** A part of the text that fits into one chunk. `prose` may be repeated in the next chunk as overlap. */
export interface Unit extends TextRange {
  readonly tokens: number;
  readonly page: number | null;
  readonly prose: boolean;
  /** The header of the unit's table, which is prepended to a chunk that begins with this unit. */
  readonly header: string | null;
}

/** The chunk being filled. */
interface OpenChunk {
  readonly start: number;
  end: number;
  readonly header: string | null;
  tokens: number;
  page: number | null;
  /** Start of the prose at its end; null if it does not end with prose. */
  proseFrom: number | null;
  /** True if it has more than the overlap of the previous chunk. */
  fresh: boolean;
  /** True if it has more than headings. */
  filled: boolean;
}

/**
 * Fills chunks in the order of the text.
 *
 *  K1  No chunk has more than `maxTokens` tokens, including a repeated header.
 *  K2  Two chunks overlap only in prose, by at most `overlapTokens`, from the start of a sentence or word.
 *  K3  Each chunk begins and ends later in the text than the previous one.
 */
export class Packer {
  readonly chunks: Chunk[] = [];
  readonly #maxTokens: number;
  readonly #overlap: number;
  #path: readonly string[] = [];
  #open: OpenChunk | null = null;

  constructor(
    private readonly text: string,
    { maxTokens, overlapTokens }: ChunkingOptions,
    private readonly maxChunks: number,
  ) {
    this.#maxTokens = Math.max(1, maxTokens);
    this.#overlap = Math.min(overlapTokens, Math.floor(this.#maxTokens / 2));
  }

  /** Tokens of the chunk that is being filled. */
  get filledTokens(): number {
    return this.#open?.tokens ?? 0;
  }

  get page(): number | null {
    return this.#open?.page ?? null;
  }

  /** True if the chunk being filled has more than headings. */
  get filled(): boolean {
    return this.#open?.filled ?? false;
  }

  /** Sets the headings of the following units. Only between chunks, or if the chunk has only headings. */
  setPath(path: readonly string[]): void {
    this.#path = path;
  }

  fits({ start, end, tokens, header }: Unit): boolean {
    if (this.#open === null) return tokens + this.#headerTokens(header, start, tokens) <= this.#maxTokens;
    return this.#open.tokens + countTokens(this.text, this.#open.end, end) <= this.#maxTokens;
  }

  /** Adds a unit, to the next chunk if it does not fit into this one. It must fit into an empty chunk. */
  add(unit: Unit): void {
    if (!this.fits(unit)) this.next(unit);
    this.#append(unit);
  }

  /** Ends the chunk and begins the next with the overlap, as far as `unit` fits in as well. */
  next(unit: Pick<Unit, 'end' | 'prose'>): void {
    const before = this.#open;
    this.close();
    if (before === null || !before.fresh || !unit.prose || before.proseFrom === null) return;
    // Counted with the white space before it: the sum of both parts could be lower.
    const needed = countTokens(this.text, before.end, unit.end);
    const start = this.#overlapStart(before, Math.min(this.#overlap, this.#maxTokens - needed));
    if (start === null) return;
    const tokens = countTokens(this.text, start, before.end);
    const { end } = before;
    this.#open = { start, end, header: null, tokens, page: null, proseFrom: start, fresh: false, filled: true };
  }

  /** Adds a unit of any size, cut between words, or inside a word that is larger than a chunk. */
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

  /** Ends the chunk. It is dropped if it has only the overlap. */
  close(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || !open.fresh) return;
    if (this.chunks.length >= this.maxChunks)
      throw new ParseError(
        'too_large',
        `The document has more than ${this.maxChunks} chunks. Split it, or make the base's chunks larger.`,
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
    // The page of a chunk is the one of its first new unit.
    if (!open.fresh) open.page = page;
    open.proseFrom = prose ? (open.proseFrom ?? start) : null;
    open.fresh = true;
    open.filled ||= filled;
  }

  /** Adds a heading. It is never part of an overlap, as chunks have the path of their headings. */
  addHeading(unit: Unit): void {
    if (unit.tokens > this.#maxTokens) return this.addCut(unit);
    if (!this.fits(unit)) this.close();
    this.#append({ ...unit, heading: true });
  }

  /**
   * Tokens of the header for a chunk that begins at `start` with `tokens` of its table; 0 if it does not fit and is omitted.
   * White space at the start is counted with the line break before it.
   */
  #headerTokens(header: string | null, start: number, tokens: number): number {
    if (header === null) return 0;
    const space = this.text.slice(start, skipSpace(this.text, start, this.text.length));
    const own = countTokens(`${header}\n${space}`) - countTokens(space);
    return own * 2 <= this.#maxTokens && own + tokens <= this.#maxTokens ? own : 0;
  }

  #roomAt(start: number, header: string | null): number {
    if (this.#open === null) return this.#maxTokens - this.#headerTokens(header, start, 1);
    return this.#maxTokens - this.#open.tokens - countTokens(this.text, this.#open.end, start);
  }

  #overlapStart({ start, end, proseFrom }: OpenChunk, max: number): number | null {
    if (max <= 0) return null;
    const parts = [...sentences(this.text, proseFrom ?? end, end, true)].reverse();
    let found: number | null = null;
    let tokens = 0;
    let counted = end;
    for (const part of parts) {
      tokens += countTokens(this.text, part.start, counted);
      counted = part.start;
      if (part.start <= start || tokens > max) break;
      found = part.start;
    }
    const last = parts[0];
    if (found !== null || last === undefined) return found;
    return wordStart(this.text, last.start, end, countTokens(this.text, last.start, end), max);
  }
}
