import { isObject } from '../../../lib/json';

type Member = Record<string, unknown>;

/** Maximum number of schemas per operation, and in total; schemas after that allow anything. */
const MAX_SCHEMAS_PER_OPERATION = 1_000;
const MAX_SCHEMAS = 60_000;
/** Maximum number of visited members and elements in all schemas together. */
const MAX_STEPS = 1_000_000;
const MAX_REFERENCE_CHAIN = 20;
const MAX_REFERENCE_CHARS = 1_000;

/** An untrusted API description: any value may be anywhere in it. */
export class Source {
  #looks = 0;
  #all = 0;
  #steps = 0;

  constructor(readonly root: Member) {}

  /** Another operation begins. */
  begin(): void {
    this.#looks = 0;
  }

  /** True if one more schema may be visited. */
  look(): boolean {
    this.#looks += 1;
    this.#all += 1;
    return this.#looks <= MAX_SCHEMAS_PER_OPERATION && this.#all <= MAX_SCHEMAS;
  }

  /** Members of an object; none of anything else, nor once all that may be gone through is used up. */
  members(value: unknown): [string, unknown][] {
    return this.#steps > MAX_STEPS ? [] : this.#counted(membersOf(value));
  }

  /** A list; empty for anything else, and once all that may be gone through is used up. */
  list(value: unknown): unknown[] {
    return this.#steps > MAX_STEPS ? [] : this.#counted(listOf(value));
  }

  #counted<T>(all: T[]): T[] {
    this.#steps += all.length;
    return all;
  }

  /** An object with its reference resolved; null for other values and for references to other documents. */
  resolve(value: unknown): Member | null {
    let found = value;
    for (let links = 0; links < MAX_REFERENCE_CHAIN && isObject(found); links += 1) {
      if (typeof found.$ref !== 'string') return found;
      found = this.#at(found.$ref);
    }
    return null;
  }

  /** The place that a JSON pointer (RFC 6901) names as a fragment. */
  #at(reference: string): unknown {
    if (!reference.startsWith('#/') || reference.length > MAX_REFERENCE_CHARS) return undefined;
    let place: unknown = this.root;
    for (const part of reference.slice(2).split('/')) {
      const key = decoded(part);
      if ((!isObject(place) && !Array.isArray(place)) || !Object.hasOwn(place, key)) return undefined;
      place = (place as Member)[key];
    }
    return place;
  }
}

function decoded(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    // URIError: a percent sign that encodes nothing is one.
    return plain;
  }
}

/** Blanks in front of a text that are left out: the same text is read often. */
const MAX_BLANKS = 1_000;

/** A text of at most so many characters; '' for anything else. */
export const textOf = (value: unknown, max = 500): string =>
  typeof value === 'string'
    ? value
        .slice(0, max + MAX_BLANKS)
        .trim()
        .slice(0, max)
    : '';

/** Members of an object; none of anything else. */
export const membersOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** A list; empty for anything else. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
