/**
 * Keeps secret values out of everything that is stored or shown.
 *
 *  V1  `seal`: no value of a known secret is in the answer; where one stood there is a mark that names it.
 *  V2  `open(seal(x))` is x, as long as the secret keeps its value; after a change it has the newest value.
 *  V3  A mark holds a code of its run that is shown nowhere, so no text from outside can pose as one.
 *  V4  `mask`: neither values nor marks are in the answer, only `***`.
 */
import type { Json } from '../../lib/json';

const MASK = '***';
const OPENING = '⟦secret:';
const ANY_MARK = /⟦secret:[A-Za-z_]\w*:\d:[0-9a-z]+⟧/g;

/** Shorter values are not looked for: they occur everywhere by chance, and protect nothing. */
const SHORTEST = 3;
const SHORTEST_BASE64 = 8;

export class Veil {
  readonly #secrets = new Map<string, string>();
  /** Every form in which a known value travels, to the name of its secret and the number of the form. */
  readonly #forms = new Map<string, { name: string; form: number }>();
  #search: RegExp | null = null;
  #marks: RegExp | null = null;

  /** `code`: letters and digits, unguessable, the same at every resume of the run. Asked for when a mark is made or met. */
  constructor(private readonly code: () => string) {}

  /** Values from now on, by name; earlier ones of the same run stay covered. */
  learn(secrets: ReadonlyMap<string, string>): void {
    for (const [name, value] of secrets) {
      if (this.#secrets.get(name) === value) continue;
      this.#secrets.set(name, value);
      if (value.length < SHORTEST) continue;
      formsOf(value).forEach((text, form) => {
        if (text !== null && !this.#forms.has(text)) this.#forms.set(text, { name, form });
      });
    }
    this.#search = pattern([...this.#forms.keys()].sort((a, b) => b.length - a.length));
  }

  seal(value: Json): Json {
    const search = this.#search;
    return search === null ? value : walk(value, (text) => text.replace(search, (found) => this.#markOf(found)));
  }

  open(value: Json): Json {
    if (this.#secrets.size === 0) return value;
    return walk(value, (text) => (text.includes(OPENING) ? this.#openText(text) : text));
  }

  mask(value: Json): Json {
    return walk(value, (text) => this.maskText(text));
  }

  maskText(text: string): string {
    const unmarked = text.includes(OPENING) ? text.replace(this.#marksOfRun(), MASK) : text;
    return this.#search === null ? unmarked : unmarked.replace(this.#search, MASK);
  }

  #markOf(found: string): string {
    const known = this.#forms.get(found);
    return known === undefined ? MASK : `${OPENING}${known.name}:${known.form}:${this.code()}⟧`;
  }

  #openText(text: string): string {
    return text.replace(this.#marksOfRun(), (mark, name: string, form: string) => {
      const value = this.#secrets.get(name);
      return value === undefined ? mark : (formsOf(value)[Number(form)] ?? mark);
    });
  }

  #marksOfRun(): RegExp {
    this.#marks ??= new RegExp(`${OPENING}([A-Za-z_]\\w*):(\\d):${this.code()}⟧`, 'g');
    return this.#marks;
  }
}

/** Marks of any run as `***`: for whoever shows a record and knows no values. */
export const hideMarks = (value: Json): Json =>
  walk(value, (text) => (text.includes(OPENING) ? text.replace(ANY_MARK, MASK) : text));

/**
 * The forms in which a value travels, at fixed places: plain, percent-encoded, JSON-escaped,
 * base64, hex, and what a longer text in base64 shows of it at each alignment.
 */
function formsOf(value: string): (string | null)[] {
  const bytes = Buffer.from(value);
  const encoded = [encodeURIComponent(bytes.toString()), JSON.stringify(value).slice(1, -1)].map((form) =>
    form === value ? null : form,
  );
  const whole = [bytes.toString('base64'), bytes.toString('hex')];
  return [value, ...encoded, ...whole, ...[0, 1, 2].map((shift) => base64Core(bytes, shift))];
}

/**
 * What base64 of a longer text holds of a value that begins `shift` bytes after a group of three: the characters that
 * depend on the value alone. Null when they are too few to tell.
 */
function base64Core(bytes: Buffer, shift: number): string | null {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const core = encoded.slice(shift === 0 ? 0 : shift + 1, (shift + bytes.length) % 3 === 0 ? undefined : -1);
  return core.length < SHORTEST_BASE64 ? null : core;
}

const pattern = (texts: readonly string[]): RegExp | null =>
  texts.length === 0
    ? null
    : new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');

/** The value with every text in it, keys too, changed by `edit`; the same object where nothing changed. */
function walk(value: Json, edit: (text: string) => string): Json {
  if (typeof value === 'string') return edit(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, edit));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value).map(([key, member]) => [edit(key), walk(member, edit)] as const);
  return members.some(([key, member]) => member !== value[key]) ? (Object.fromEntries(members) as Json) : value;
}
