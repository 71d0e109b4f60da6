import { invalidFilter, ScimError } from './errors';

/** Filters of RFC 7644 section 3.4.2.2, and the paths of section 3.5.2, which contain them. */

/** An attribute, and a part of it: `name.givenName`. In lower case; a prefix with the schema of the attribute is left out. */
export interface AttributePath {
  readonly name: string;
  readonly sub: string | null;
}

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];
export type FilterValue = string | number | boolean | null;

export type Filter =
  | { readonly kind: 'compare'; readonly path: AttributePath; readonly operator: Operator; readonly value: FilterValue }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | { readonly kind: 'and'; readonly of: readonly Filter[] }
  | { readonly kind: 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  /** A list with an element for which the filter holds: `emails[type eq "work"]`. */
  | { readonly kind: 'element'; readonly path: AttributePath; readonly of: Filter };

/** The target of a change: an attribute, or of a list the elements for which a filter holds. */
export interface PatchPath extends AttributePath {
  readonly where: Filter | null;
}

const MAX_FILTER_CHARS = 2_000;
const MAX_PATH_CHARS = 300;
const MAX_DEPTH = 10;
const MAX_COMPARISONS = 20;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;
const NAME = /^[a-z$][\w$-]*$/i;
/** Of an extension: the attribute as a whole, which none of ours is called. */
const EXTENSION = /^urn:[\w.:-]+$/i;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** @throws ScimError invalidFilter */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text, invalidFilter);
  const filter = reader.either(0);
  reader.end();
  return filter;
}

/** @throws ScimError invalidPath */
export function parsePath(text: string): PatchPath {
  const fail: Fail = (message) => new ScimError(400, 'invalidPath', message);
  if (text.length > MAX_PATH_CHARS) throw fail(`A path has at most ${MAX_PATH_CHARS} characters`);
  const reader = new Reader(text, fail);
  const path = reader.patchPath();
  reader.end();
  return path;
}

type Fail = (message: string) => ScimError;

class Reader {
  #at = 0;
  #comparisons = 0;

  constructor(
    private readonly text: string,
    private readonly fail: Fail,
  ) {
    if (text.length > MAX_FILTER_CHARS) throw fail(`A filter has at most ${MAX_FILTER_CHARS} characters`);
  }

  end(): void {
    this.#space();
    if (this.#at < this.text.length) throw this.#unexpected('the end');
  }

  either(depth: number): Filter {
    const of = [this.#both(depth)];
    while (this.#word('or')) of.push(this.#both(depth));
    return of.length === 1 ? (of[0] as Filter) : { kind: 'or', of };
  }

  patchPath(): PatchPath {
    const path = this.#path();
    if (!this.#take('[')) return { ...path, where: null };
    const where = this.either(1);
    if (!this.#take(']')) throw this.#unexpected('"]"');
    if (path.sub !== null) throw this.#unexpected('an attribute with a list');
    if (!this.#take('.')) return { ...path, where };
    return { ...path, where, sub: this.#name().toLowerCase() };
  }

  #both(depth: number): Filter {
    const of = [this.#one(depth)];
    while (this.#word('and')) of.push(this.#one(depth));
    return of.length === 1 ? (of[0] as Filter) : { kind: 'and', of };
  }

  #one(depth: number): Filter {
    if (depth >= MAX_DEPTH) throw this.fail(`A filter nests at most ${MAX_DEPTH} levels deep`);
    this.#space();
    const negated = this.#word('not');
    if (this.#take('(')) {
      const inner = this.either(depth + 1);
      if (!this.#take(')')) throw this.#unexpected('")"');
      return negated ? { kind: 'not', of: inner } : inner;
    }
    if (negated) throw this.#unexpected('"(" after "not"');
    return this.#comparison(depth);
  }

  #comparison(depth: number): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > MAX_COMPARISONS) throw this.fail(`A filter has at most ${MAX_COMPARISONS} comparisons`);
    const path = this.#path();
    if (this.#take('[')) {
      const of = this.either(depth + 1);
      if (!this.#take(']')) throw this.#unexpected('"]"');
      return { kind: 'element', path, of };
    }
    if (this.#word('pr')) return { kind: 'present', path };
    const operator = OPERATORS.find((each) => this.#word(each));
    if (operator === undefined) throw this.#unexpected(`an operator (${OPERATORS.join(', ')}, pr)`);
    return { kind: 'compare', path, operator, value: this.#value() };
  }

  #path(): AttributePath {
    const given = this.#name();
    const [name = '', sub = null, ...more] =
      EXTENSION.test(given) && !CORE.test(given) ? [given] : given.replace(CORE, '').split('.');
    const valid = more.length === 0 && (EXTENSION.test(name) || NAME.test(name)) && (sub === null || NAME.test(sub));
    if (!valid) throw this.fail(`"${shortened(given)}" is not the name of an attribute`);
    return { name: name.toLowerCase(), sub: sub?.toLowerCase() ?? null };
  }

  /** Up to what cannot be part of a name. */
  #name(): string {
    this.#space();
    const start = this.#at;
    while (this.#at < this.text.length && /[\w$.:-]/.test(this.text.charAt(this.#at))) this.#at += 1;
    if (this.#at === start) throw this.#unexpected('the name of an attribute');
    return this.text.slice(start, this.#at);
  }

  #value(): FilterValue {
    this.#space();
    if (this.text.charAt(this.#at) === '"') return this.#string();
    const start = this.#at;
    while (this.#at < this.text.length && /[\w.+-]/.test(this.text.charAt(this.#at))) this.#at += 1;
    const word = this.text.slice(start, this.#at);
    const lower = word.toLowerCase();
    if (lower === 'true' || lower === 'false') return lower === 'true';
    if (lower === 'null') return null;
    if (NUMBER.test(word)) return Number(word);
    this.#at = start;
    throw this.#unexpected('a value: a text in double quotes, a number, true, false or null');
  }

  /** A JSON string (RFC 7644 refers to RFC 7159). */
  #string(): string {
    const start = this.#at;
    for (this.#at += 1; this.#at < this.text.length; this.#at += 1) {
      const character = this.text.charAt(this.#at);
      if (character === '\\') this.#at += 1;
      else if (character === '"') break;
    }
    this.#at += 1;
    try {
      return JSON.parse(this.text.slice(start, this.#at)) as string;
    } catch {
      // The message names the place, which that of the parser does not.
      throw this.fail(`The text at character ${start + 1} is not a JSON string`);
    }
  }

  #space(): void {
    while (this.text.charAt(this.#at) === ' ') this.#at += 1;
  }

  #take(character: string): boolean {
    // Between a list and its filter, and before the part of an element, there is no space.
    if (character !== '[' && character !== '.') this.#space();
    if (this.text.charAt(this.#at) !== character) return false;
    this.#at += 1;
    return true;
  }

  #word(word: string): boolean {
    this.#space();
    const end = this.#at + word.length;
    if (this.text.slice(this.#at, end).toLowerCase() !== word) return false;
    if (/[\w$.:-]/.test(this.text.charAt(end))) return false;
    this.#at = end;
    return true;
  }

  #unexpected(wanted: string): ScimError {
    const found = this.#at >= this.text.length ? 'ends' : `has "${shortened(this.text.slice(this.#at))}"`;
    return this.fail(`The filter ${found} at character ${this.#at + 1}, where ${wanted} is expected`);
  }
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}...` : text);

/** The filter as text, which parses to the same filter. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'compare':
      return `${printPath(filter.path)} ${filter.operator} ${JSON.stringify(filter.value)}`;
    case 'present':
      return `${printPath(filter.path)} pr`;
    case 'element':
      return `${printPath(filter.path)}[${printFilter(filter.of)}]`;
    case 'not':
      return `not (${printFilter(filter.of)})`;
    case 'and':
    case 'or':
      return filter.of
        .map((part) => (part.kind === 'and' || part.kind === 'or' ? `(${printFilter(part)})` : printFilter(part)))
        .join(` ${filter.kind} `);
  }
}

const printPath = ({ name, sub }: AttributePath): string => (sub === null ? name : `${name}.${sub}`);
