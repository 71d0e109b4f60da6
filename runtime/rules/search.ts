/** Every text that is looked for has at least this many UTF-16 units. */
const PREFIX = 3;
const FILTER_SIZE = 1 << 16;

const slot = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (FILTER_SIZE - 1);

/**
 * Finds any of many texts in another. An alternation of a regular expression would do it in one line, but it takes
 * seconds to compile for a few thousand texts, is refused for some hundred kilobytes of them, and the refusal's message
 * quotes them all: these texts are secrets.
 */
export class Search {
  /** Says of most places at once that nothing begins there. */
  readonly #filter = new Uint8Array(FILTER_SIZE);
  /** The texts by how they begin, longest first. */
  readonly #byPrefix = new Map<string, string[]>();
  /** The first one and two units of each text. */
  readonly #beginnings = new Set<string>();
  #longest = 0;

  /** `texts` differ from each other, and have at least three characters each. */
  constructor(texts: Iterable<string>) {
    for (const text of [...texts].sort((a, b) => b.length - a.length)) {
      const prefix = text.slice(0, PREFIX);
      const known = this.#byPrefix.get(prefix);
      if (known === undefined) this.#byPrefix.set(prefix, [text]);
      else known.push(text);
      this.#filter[slot(text, 0)] = 1;
      this.#beginnings.add(text.slice(0, 1)).add(text.slice(0, 2));
      this.#longest = Math.max(this.#longest, text.length);
    }
  }

  /**
   * As `replace`, for a text of which more may come: as far as nothing that comes can change it. `rest` is what must be
   * seen again together with what comes.
   */
  replaceSoFar(text: string, by: (found: string) => string): { done: string; rest: string } {
    let done = '';
    let kept = 0;
    for (let at = 0; at < text.length; at++) {
      if (this.#mayGrowAt(text, at)) return { done: done + text.slice(kept, at), rest: text.slice(at) };
      if (at + PREFIX > text.length || this.#filter[slot(text, at)] === 0) continue;
      const found = this.#foundAt(text, at);
      if (found === undefined) continue;
      done += text.slice(kept, at) + by(found);
      kept = at + found.length;
      at = kept - 1;
    }
    return { done: done + text.slice(kept), rest: '' };
  }

  /** Whether all that is left from there on is the beginning of something longer that is looked for. */
  #mayGrowAt(text: string, at: number): boolean {
    const left = text.length - at;
    if (left >= this.#longest) return false;
    if (left < PREFIX) return this.#beginnings.has(text.slice(at));
    if (this.#filter[slot(text, at)] === 0) return false;
    const rest = text.slice(at);
    const known = this.#byPrefix.get(rest.slice(0, PREFIX)) ?? [];
    return known.some((sought) => sought.length > left && sought.startsWith(rest));
  }

  /** The text with what is found replaced: from the left, and of several that begin at one place the longest. */
  replace(text: string, by: (found: string) => string): string {
    let kept = 0;
    let answer = '';
    for (let at = 0; at + PREFIX <= text.length; at++) {
      if (this.#filter[slot(text, at)] === 0) continue;
      const found = this.#foundAt(text, at);
      if (found === undefined) continue;
      answer += text.slice(kept, at) + by(found);
      kept = at + found.length;
      at = kept - 1;
    }
    return kept === 0 ? text : answer + text.slice(kept);
  }

  #foundAt(text: string, at: number): string | undefined {
    return this.#byPrefix.get(text.slice(at, at + PREFIX))?.find((sought) => text.startsWith(sought, at));
  }
}
