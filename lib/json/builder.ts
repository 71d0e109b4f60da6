import type { Json, JsonObject } from '../json';
import { faultOffset, syntaxError } from './json-fault';
import type { JsonStructure } from './scanner';

/** Approximate length of the parts passed to `JSON.parse`; each takes a few milliseconds at most. */
export const PART_LENGTH = 64 * 1024;

/** An array or object that the scan is inside of. */
interface OpenContainer {
  readonly isObject: boolean;
  readonly start: number;
  /** Start of the members that are not parsed yet. */
  pending: number;
  /** Start of the current member. */
  member: number;
  /** Set when the current member was parsed separately; only white space may follow up to the next comma. */
  memberDone: boolean;
  /** Name of the current member, while it is built separately. */
  key: string;
  /** Set once a part of it was parsed. The enclosing ones have a value then, too. */
  value: Json[] | JsonObject | null;
}

/**
 * Builds the value of a JSON text during its scan: runs of members longer than PART_LENGTH are parsed by `JSON.parse`
 * and appended to their array or object. Short values are left to the enclosing one.
 */
export class JsonBuilder implements JsonStructure {
  readonly #open: OpenContainer[] = [];
  /** How many of `#open` have a value; always the outermost ones. */
  #built = 0;
  #pieces: string[] = [];
  /** The root's value, and where it ended. */
  #root: { readonly value: Json; readonly start: number; readonly end: number } | null = null;

  constructor(
    private readonly text: string,
    private readonly partLength = PART_LENGTH,
  ) {}

  /** The value, after the scan. @throws JsonError */
  finish(): Json {
    const root = this.#root;
    if (root === null) return this.#parse(0, this.text.length, '', '') as Json;
    this.#parse(0, root.start, '', '[]');
    this.#assertBlank(root.end, this.text.length);
    return root.value;
  }

  open(at: number, isObject: boolean): void {
    if (this.#root !== null) throw syntaxError(this.text, at);
    const next = at + 1;
    this.#open.push({ isObject, start: at, pending: next, member: next, memberDone: false, key: '', value: null });
  }

  comma(at: number): void {
    const open = this.#open.at(-1) as OpenContainer;
    if (open.memberDone) {
      this.#assertBlank(open.pending, at);
      open.memberDone = false;
      open.pending = at + 1;
    } else if (at - open.pending >= this.partLength) {
      this.#buildAll();
      this.#append(open, at);
      open.pending = at + 1;
    }
    open.member = at + 1;
  }

  close(at: number): void {
    const open = this.#open.at(-1) as OpenContainer;
    if (open.value === null && at - open.pending < this.partLength) {
      this.#open.pop();
      return;
    }
    const isFirst = open.value === null;
    this.#buildAll();
    if (open.memberDone || (isFirst && this.#isBlank(open.pending, at))) this.#assertBlank(open.pending, at);
    else this.#append(open, at);
    this.#open.pop();
    this.#built -= 1;
    this.#attach(open.value, open.start, at + 1);
  }

  stringPiece(_start: number, from: number, to: number): void {
    this.#pieces.push(this.#parse(from, to, '"', '"') as string);
  }

  longString(start: number, end: number): void {
    const value = this.#pieces.join('');
    this.#pieces = [];
    const open = this.#open.at(-1);
    if (this.#root !== null || open?.memberDone === true) throw syntaxError(this.text, start);
    // The member's name is parsed with the rest of it.
    if (open?.isObject === true && this.#isBlank(open.member, start)) return;
    this.#buildAll();
    if (open !== undefined) this.#beginMember(open, start);
    this.#attach(value, start, end + 1);
  }

  /** Creates a value for every open array and object, to which members can be appended. */
  #buildAll(): void {
    for (; this.#built < this.#open.length; this.#built += 1) {
      const open = this.#open[this.#built] as OpenContainer;
      const outer = this.#open[this.#built - 1];
      if (outer !== undefined) this.#beginMember(outer, open.start);
      open.value = open.isObject ? {} : [];
    }
  }

  /** Parses what precedes a member that is built separately: earlier members, and its name. */
  #beginMember(open: OpenContainer, start: number): void {
    if (open.memberDone) throw syntaxError(this.text, start);
    if (open.pending < open.member) this.#append(open, open.member - 1);
    open.pending = start;
    if (!open.isObject) {
      this.#parse(open.member, start, '[', '[]]');
      return;
    }
    const [key] = Object.keys(this.#parse(open.member, start, '{', '[]}') as JsonObject);
    if (key === undefined) throw syntaxError(this.text, start);
    open.key = key;
  }

  #attach(value: Json, start: number, end: number): void {
    const open = this.#open.at(-1);
    if (open === undefined) {
      this.#root = { value, start, end };
      return;
    }
    if (Array.isArray(open.value)) open.value.push(value);
    else define(open.value as JsonObject, open.key, value);
    open.memberDone = true;
    open.pending = end;
  }

  /** Appends the pending members up to an offset. @throws JsonError also when there are none */
  #append(open: OpenContainer, to: number): void {
    if (this.#isBlank(open.pending, to)) throw syntaxError(this.text, to);
    if (Array.isArray(open.value)) {
      for (const item of this.#parse(open.pending, to, '[', ']') as Json[]) open.value.push(item);
      return;
    }
    const members = this.#parse(open.pending, to, '{', '}') as JsonObject;
    for (const key of Object.keys(members)) define(open.value as JsonObject, key, members[key] as Json);
  }

  #parse(from: number, to: number, before: string, after: string): unknown {
    const part = `${before}${this.text.slice(from, to)}${after}`;
    try {
      return JSON.parse(part);
    } catch {
      // The position in the message is relative to the part, and often missing.
      const offset = faultOffset(part) ?? 0;
      throw syntaxError(this.text, Math.min(to, from + Math.max(0, offset - before.length)));
    }
  }

  #isBlank(from: number, to: number): boolean {
    return this.#skipBlank(from) >= to;
  }

  #assertBlank(from: number, to: number): void {
    const at = this.#skipBlank(from);
    if (at < to) throw syntaxError(this.text, at);
  }

  #skipBlank(from: number): number {
    BLANK.lastIndex = from;
    BLANK.test(this.text);
    return BLANK.lastIndex;
  }
}

const BLANK = /[ \t\n\r]*/y;

/** Like `JSON.parse`, creates own properties; assigning `__proto__` would set the prototype. */
function define(object: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
