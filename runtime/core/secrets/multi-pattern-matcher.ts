/** Minimum length of a pattern in UTF-16 units. */
const PREFIX_CHARS = 3;
const FILTER_SIZE = 1 << 16;
/** Patterns of at least this length are indexed by a longer prefix: secrets often begin alike. */
const LONG_PREFIX_CHARS = 8;

/** Patterns with the same prefix, longest first. */
interface Bucket {
  readonly short: string[];
  readonly long: Map<string, string[]>;
}

const longPrefix = (text: string, at: number): string => text.slice(at, at + LONG_PREFIX_CHARS);

const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (FILTER_SIZE - 1);

/**
 * Finds any of many patterns in a text. A regular expression with alternatives takes seconds to compile for a few
 * thousand patterns and is refused for some hundred kilobytes, with an error message that quotes them all: the patterns
 * are secrets.
 */
export class MultiPatternMatcher {
  /** Rules out most positions quickly. */
  readonly #filter = new Uint8Array(FILTER_SIZE);
  /** Patterns by prefix, longest first. */
  readonly #byPrefix = new Map<string, Bucket>();
  /** The first one and two units of each pattern. */
  readonly #shortPrefixes = new Set<string>();
  #longest = 0;

  /** `texts` are distinct and have at least three characters each. */
  constructor(texts: Iterable<string>) {
    for (const text of [...texts].sort((a, b) => b.length - a.length)) {
      const prefix = text.slice(0, PREFIX_CHARS);
      const bucket: Bucket = this.#byPrefix.get(prefix) ?? { short: [], long: new Map() };
      this.#byPrefix.set(prefix, bucket);
      if (text.length < LONG_PREFIX_CHARS) bucket.short.push(text);
      else bucket.long.set(longPrefix(text, 0), [...(bucket.long.get(longPrefix(text, 0)) ?? []), text]);
      this.#filter[hashAt(text, 0)] = 1;
      this.#shortPrefixes.add(text.slice(0, 1)).add(text.slice(0, 2));
      this.#longest = Math.max(this.#longest, text.length);
    }
  }

  /** As `replace`, for a text that is not complete. `rest` must be passed again together with the next part. */
  replaceSoFar(text: string, by: (found: string) => string): { done: string; rest: string } {
    let done = '';
    let kept = 0;
    for (let at = 0; at < text.length; at++) {
      if (this.#mayContinueAt(text, at)) return { done: done + text.slice(kept, at), rest: text.slice(at) };
      if (at + PREFIX_CHARS > text.length || this.#filter[hashAt(text, at)] === 0) continue;
      const found = this.#foundAt(text, at);
      if (found === undefined) continue;
      done += text.slice(kept, at) + by(found);
      kept = at + found.length;
      at = kept - 1;
    }
    return { done: done + text.slice(kept), rest: '' };
  }

  /** True when the rest of the text may be the beginning of a longer pattern. */
  #mayContinueAt(text: string, at: number): boolean {
    const left = text.length - at;
    if (left >= this.#longest) return false;
    if (left < PREFIX_CHARS) return this.#shortPrefixes.has(text.slice(at));
    if (this.#filter[hashAt(text, at)] === 0) return false;
    const rest = text.slice(at);
    const bucket = this.#byPrefix.get(rest.slice(0, PREFIX_CHARS));
    if (bucket === undefined) return false;
    const mayContinue = (pattern: string): boolean => pattern.length > left && pattern.startsWith(rest);
    if (left >= LONG_PREFIX_CHARS) return bucket.long.get(longPrefix(text, at))?.some(mayContinue) ?? false;
    return bucket.short.some(mayContinue) || [...bucket.long.values()].some((texts) => texts.some(mayContinue));
  }

  /** Replaces all matches, from the left; of several at one position, the longest. */
  replace(text: string, by: (found: string) => string): string {
    let kept = 0;
    let result = '';
    for (let at = 0; at + PREFIX_CHARS <= text.length; at++) {
      if (this.#filter[hashAt(text, at)] === 0) continue;
      const found = this.#foundAt(text, at);
      if (found === undefined) continue;
      result += text.slice(kept, at) + by(found);
      kept = at + found.length;
      at = kept - 1;
    }
    return kept === 0 ? text : result + text.slice(kept);
  }

  #foundAt(text: string, at: number): string | undefined {
    const bucket = this.#byPrefix.get(text.slice(at, at + PREFIX_CHARS));
    if (bucket === undefined) return undefined;
    const isHere = (pattern: string): boolean => text.startsWith(pattern, at);
    return bucket.long.get(longPrefix(text, at))?.find(isHere) ?? bucket.short.find(isHere);
  }
}
