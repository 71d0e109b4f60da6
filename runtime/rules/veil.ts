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
const ANY_MARK = /⟦secret:[A-Za-z_]\w*:[0-9a-z]+⟧/g;

/** Shorter values are not looked for: they occur everywhere by chance, and protect nothing. */
const SHORTEST = 3;

export class Veil {
  readonly #secrets = new Map<string, string>();
  readonly #mark: RegExp;
  #values: RegExp | null = null;
  #names = new Map<string, string>();
  #disguises: RegExp | null = null;

  /** `code`: letters and digits, unguessable, the same at every resume of the run. */
  constructor(private readonly code: string) {
    this.#mark = new RegExp(`⟦secret:([A-Za-z_]\\w*):${code}⟧`, 'g');
  }

  /** Values from now on, by name; earlier ones of the same run stay covered. */
  learn(secrets: ReadonlyMap<string, string>): void {
    for (const [name, value] of secrets) {
      if (this.#secrets.get(name) === value) continue;
      this.#secrets.set(name, value);
      if (value.length >= SHORTEST) this.#names.set(value, name);
    }
    const values = [...this.#names.keys()].sort((a, b) => b.length - a.length);
    this.#values = pattern(values);
    this.#disguises = pattern(values.flatMap(disguises));
  }

  seal(value: Json): Json {
    const values = this.#values;
    return values === null
      ? value
      : walk(value, (text) =>
          text.replace(values, (found) => `⟦secret:${this.#names.get(found) as string}:${this.code}⟧`),
        );
  }

  open(value: Json): Json {
    if (this.#secrets.size === 0) return value;
    return walk(value, (text) =>
      text.includes(this.code)
        ? text.replace(this.#mark, (mark, name: string) => this.#secrets.get(name) ?? mark)
        : text,
    );
  }

  mask(value: Json): Json {
    return walk(value, (text) => this.maskText(text));
  }

  maskText(text: string): string {
    let masked = text.includes(this.code) ? text.replace(this.#mark, MASK) : text;
    if (this.#values !== null) masked = masked.replace(this.#values, MASK);
    if (this.#disguises !== null) masked = masked.replace(this.#disguises, MASK);
    return masked;
  }
}

/** Marks of any run as `***`: for whoever shows a record and knows no values. */
export const hideMarks = (value: Json): Json =>
  walk(value, (text) => (text.includes('⟦secret:') ? text.replace(ANY_MARK, MASK) : text));

/** Forms in which a value travels: percent-encoded, base64 (also of `user:value`), JSON-escaped. */
function disguises(value: string): string[] {
  const forms = [encodeURIComponent(Buffer.from(value).toString()), JSON.stringify(value).slice(1, -1)];
  const bytes = Buffer.from(value);
  for (let shift = 0; shift < 3; shift++) {
    // Base64 of the value inside a longer text: the characters that depend on the value alone, for each alignment.
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = encoded.slice(shift === 0 ? 0 : shift + 1, (shift + bytes.length) % 3 === 0 ? undefined : -1);
    if (whole.length >= 8) forms.push(whole);
  }
  return forms.filter((form) => form !== value);
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
