import { isObject } from '../../../lib/json';

type Member = Record<string, unknown>;

/** Places of a document that are looked at before it is called too large. */
const MOST_LOOKS = 300_000;
const LONGEST_CHAIN = 20;

/** Thrown when a document is more than anybody needs to look at. */
export class TooLarge extends Error {}

/** A description of an API that somebody has sent: anything may stand anywhere in it. */
export class Source {
  #looks = 0;

  constructor(readonly root: Member) {}

  /** Counts what is looked at. @throws TooLarge */
  look(): void {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) throw new TooLarge('the document is too large, or refers to its parts too often');
  }

  /** An object, through its references; null for anything else, and for what lies in another document. */
  resolve(value: unknown): Member | null {
    let found = value;
    for (let links = 0; links < LONGEST_CHAIN && isObject(found); links += 1) {
      this.look();
      if (typeof found.$ref !== 'string') return found;
      found = this.#at(found.$ref);
    }
    return null;
  }

  /** The place that a JSON pointer (RFC 6901) names as a fragment. */
  #at(reference: string): unknown {
    if (!reference.startsWith('#/')) return undefined;
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

/** A text of at most so many characters; '' for anything else. */
export const textOf = (value: unknown, most = 500): string =>
  typeof value === 'string' ? value.trim().slice(0, most) : '';

/** Members of an object; none of anything else. */
export const membersOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** A list; empty for anything else. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
