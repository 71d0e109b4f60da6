import { hexDigit } from '../hex-digit';
import { JsonError, type JsonLimits } from './limits';
import { syntaxError } from './json-fault';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Longer strings are reported in pieces of about this length. */
const STRING_PIECE_LENGTH = 256 * 1024;

/** Reports the structure of the text, in order. Offsets are those of the character itself. */
export interface JsonStructure {
  open(at: number, isObject: boolean): void;
  comma(at: number): void;
  close(at: number): void;
  /** A part of a long string that begins with the quote at `start`; it never splits a character or escape. */
  stringPiece(start: number, from: number, to: number): void;
  /** End of a long string: the offset of its closing quote. */
  longString(start: number, end: number): void;
}

/**
 * Scans the brackets, commas and strings of a JSON text once, in any number of calls of `advance`, and checks the
 * limits. Verifies that brackets match and strings end; the rest of the grammar is left to `JSON.parse`.
 */
export class JsonScanner {
  #at = 0;
  #inString = false;
  #stringStart = 0;
  /** Start of the current piece of the string. */
  #pieceStart = 0;
  #values = 0;
  /** Members of the current object or array, and of the enclosing ones. */
  #members = 0;
  readonly #outerMembers: number[] = [];
  readonly #kinds: boolean[] = [];
  /** The last non-blank character, to detect an empty object or array. */
  #last = 0;

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits,
    private readonly structure: JsonStructure | null = null,
  ) {}

  /** Scans about `length` characters more; true at the end of the text. @throws JsonError */
  advance(length: number): boolean {
    const { text } = this;
    const end = Math.min(text.length, this.#at + length);
    while (this.#at < end) {
      if (this.#inString) this.#string(end);
      else this.#plain(end);
    }
    if (this.#at < text.length) return false;
    if (this.#inString || this.#kinds.length > 0) throw syntaxError(text, text.length);
    return true;
  }

  #plain(end: number): void {
    const { text } = this;
    let last = this.#last;
    let at = this.#at;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code <= 0x20) continue;
      switch (code) {
        case QUOTE:
          this.#inString = true;
          this.#stringStart = at;
          this.#pieceStart = at + 1;
          this.#last = code;
          this.#at = at + 1;
          return;
        case COMMA:
          this.#comma(at);
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          this.#open(at, code === OPEN_OBJECT);
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          this.#close(at, code === CLOSE_OBJECT, last === OPEN_ARRAY || last === OPEN_OBJECT);
          break;
      }
      last = code;
    }
    this.#last = last;
    this.#at = at;
  }

  #string(end: number): void {
    const { text } = this;
    let at = this.#at;
    let nextCut = this.#pieceStart + STRING_PIECE_LENGTH;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#inString = false;
        this.#at = at + 1;
        if (this.#pieceStart === this.#stringStart + 1) return;
        this.#piece(at);
        this.structure?.longString(this.#stringStart, at);
        return;
      }
      if (at >= nextCut) {
        this.#piece(at);
        nextCut = at + STRING_PIECE_LENGTH;
      }
      at += code === BACKSLASH ? this.#escape(at) : 1;
    }
    this.#at = at;
  }

  #piece(to: number): void {
    this.structure?.stringPiece(this.#stringStart, this.#pieceStart, to);
    this.#pieceStart = to;
  }

  /** The length of the escape here; for a surrogate pair, of both. @throws JsonError */
  #escape(at: number): number {
    const unit = unicodeEscape(this.text, at);
    if (unit === null) return 2;
    if (!this.limits.unicode || (unit & 0xf800) !== 0xd800) return 6;
    const low = unicodeEscape(this.text, at + 6) ?? 0;
    if (unit < 0xdc00 && (low & 0xfc00) === 0xdc00) return 12;
    throw new JsonError({ kind: 'unicode' });
  }

  #open(at: number, isObject: boolean): void {
    const { limits } = this;
    if (this.#kinds.length >= limits.depth) throw new JsonError({ kind: 'depth', limit: limits.depth });
    this.#kinds.push(isObject);
    this.#outerMembers.push(this.#members);
    this.#members = 0;
    this.structure?.open(at, isObject);
    this.#member();
  }

  #comma(at: number): void {
    if (this.#kinds.length === 0) throw syntaxError(this.text, at);
    this.#member();
    this.structure?.comma(at);
  }

  #member(): void {
    const { limits } = this;
    this.#values += 1;
    this.#members += 1;
    // The innermost array or object counts one member before it is known to be empty.
    if (this.#values > limits.values + 1) throw new JsonError({ kind: 'values', limit: limits.values });
    if (this.#members > limits.members && this.#kinds.at(-1) === true)
      throw new JsonError({ kind: 'members', limit: limits.members });
  }

  #close(at: number, isObject: boolean, isEmpty: boolean): void {
    if (this.#kinds.length === 0 || this.#kinds.at(-1) !== isObject) throw syntaxError(this.text, at);
    this.structure?.close(at);
    this.#kinds.pop();
    this.#members = this.#outerMembers.pop() as number;
    if (isEmpty) this.#values -= 1;
    if (this.#values > this.limits.values) throw new JsonError({ kind: 'values', limit: this.limits.values });
  }
}

/** The code unit of `\uXXXX` at an offset; null when there is no such escape. */
function unicodeEscape(text: string, at: number): number | null {
  if (text.charCodeAt(at) !== BACKSLASH || text.charCodeAt(at + 1) !== LOWER_U) return null;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    const value = hexDigit(text.charCodeAt(digit));
    if (value < 0) return null;
    unit = unit * 16 + value;
  }
  return unit;
}
