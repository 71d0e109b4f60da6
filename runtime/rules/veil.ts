/**
 * Keeps secret values out of everything that is stored or shown.
 *
 *  V1  `seal`: no value of a known secret is in the answer, nor one of the forms in which values travel; where one stood
 *      there is a mark that names it.
 *  V2  `open(seal(x))` is x, as long as the secret keeps its value; after a change it has the newest value.
 *  V3  A mark holds a code of its run that is shown nowhere, so no text from outside can pose as one.
 *  V4  `mask`: neither values nor marks are in the answer, only `***`.
 */
import type { Json } from '../../lib/json';
import { disguises } from './disguises';
import { Search } from './search';

const MASK = '***';
const OPENING = '⟦secret:';
const CLOSING = '⟧';
/** In characters; names of secrets and of fields of connections are shorter than that by far. */
const LONGEST_MARK = 1_000;
const NAME = '[A-Za-z_]\\w*';
const ANY_MARK = new RegExp(`${OPENING}${NAME}(?:\\.\\w+)?:[0-9a-z]+⟧`, 'g');
/** The form of a mark that stands for a number. */
const NUMBER = 'n';

/** Shorter values are not looked for: they occur everywhere by chance, and protect nothing. */
const SHORTEST = 3;

export class Veil {
  /** The newest value of each secret. */
  readonly #secrets = new Map<string, string>();
  /** What is looked for, and the inner part of the mark that stands for it. Earlier values stay covered. */
  readonly #marks = new Map<string, string>();
  #hidden: Search | null = null;
  #patterns: { mark: RegExp; number: RegExp } | null = null;

  /** `code`: letters and digits, unguessable, the same at every resume of the run. Asked for when a mark is made or met. */
  constructor(private readonly code: () => string) {}

  /** Values from now on, by name; earlier ones of the same run stay covered. */
  learn(secrets: ReadonlyMap<string, string>): void {
    let changed = false;
    for (const [name, value] of secrets) {
      if (this.#secrets.get(name) === value) continue;
      this.#secrets.set(name, value);
      if (value.length < SHORTEST) continue;
      changed = true;
      disguises(value).forEach((form, index) => {
        // What is a value itself is never taken for the disguise of another.
        if (form.length >= SHORTEST && !this.#marks.has(form)) this.#marks.set(form, `${name}.${index}`);
      });
      this.#marks.set(value, name);
    }
    if (changed) this.#hidden = new Search(this.#marks.keys());
  }

  seal(value: Json): Json {
    const hidden = this.#hidden;
    if (hidden === null) return value;
    return walk(
      value,
      (text) => hidden.replace(text, (found) => this.#markOf(this.#marks.get(found) as string)),
      (number) => {
        const name = this.#nameOf(number);
        return name === undefined ? number : this.#markOf(`${name}.${NUMBER}`);
      },
    );
  }

  open(value: Json): Json {
    if (this.#secrets.size === 0) return value;
    return walk(value, (text) => (text.includes(OPENING) ? this.#opened(text) : text));
  }

  mask(value: Json): Json {
    return walk(
      value,
      (text) => this.maskText(text),
      (number) => (this.#nameOf(number) === undefined ? number : MASK),
    );
  }

  /** As `mask`, but it says which secret stood there: for whoever asks whether two values are the same. */
  label(value: Json): Json {
    const nameOf = (found: string): string => `${MASK}${this.#marks.get(found) ?? ''}${MASK}`;
    return walk(
      value,
      (text) => this.#hidden?.replace(text, nameOf) ?? text,
      (number) => (this.#nameOf(number) === undefined ? number : nameOf(String(number))),
    );
  }

  maskText(text: string): string {
    const unmarked = text.includes(OPENING) ? text.replace(ANY_MARK, MASK) : text;
    return this.#hidden === null ? unmarked : this.#hidden.replace(unmarked, () => MASK);
  }

  /** `maskText` for a text of which more may come; `rest` is what must be seen again together with what comes. */
  maskSoFar(text: string): { done: string; rest: string } {
    const open = openMarkIn(text);
    const { done, rest } = this.#maskWhole(text.slice(0, open));
    return { done, rest: rest + text.slice(open) };
  }

  #maskWhole(text: string): { done: string; rest: string } {
    const unmarked = text.includes(OPENING) ? text.replace(ANY_MARK, MASK) : text;
    return this.#hidden?.replaceSoFar(unmarked, () => MASK) ?? { done: unmarked, rest: '' };
  }

  /** The name of the secret that a number is the value of. */
  #nameOf(number: number): string | undefined {
    const mark = this.#marks.get(String(number));
    return mark === undefined || mark.includes('.') ? undefined : mark;
  }

  #markOf(inner: string): string {
    return `${OPENING}${inner}:${this.code()}⟧`;
  }

  #opened(text: string): Json {
    this.#patterns ??= {
      mark: new RegExp(`${OPENING}(${NAME})(?:\\.(\\d+))?:${this.code()}⟧`, 'g'),
      number: new RegExp(`^${OPENING}(${NAME})\\.${NUMBER}:${this.code()}⟧$`),
    };
    const number = this.#patterns.number.exec(text);
    if (number !== null) {
      const value = this.#secrets.get(number[1] as string);
      return value === undefined ? text : Number(value);
    }
    return text.replace(this.#patterns.mark, (mark, name: string, form: string | undefined) => {
      const value = this.#secrets.get(name);
      if (value === undefined) return mark;
      return form === undefined ? value : (disguises(value)[Number(form)] ?? mark);
    });
  }
}

/** Marks of any run as `***`: for whoever shows a record and knows no values. */
export const hideMarks = (value: Json): Json =>
  walk(value, (text) => (text.includes(OPENING) ? text.replace(ANY_MARK, MASK) : text));

/** Whether a mark of any run stands in a value, or in a key of it. */
export const hasMarks = (value: Json): boolean => JSON.stringify(value).includes(OPENING);

const same = (number: number): Json => number;

/** Where a mark begins that may not be whole yet; the text's end where there is none. */
function openMarkIn(text: string): number {
  const bracket = text.lastIndexOf(OPENING[0] as string);
  if (bracket < 0 || text.length - bracket > LONGEST_MARK) return text.length;
  const begun = text.slice(bracket);
  const may = begun.length < OPENING.length ? OPENING.startsWith(begun) : begun.startsWith(OPENING);
  return may && !begun.includes(CLOSING) ? bracket : text.length;
}

/** The value with its texts (keys too) and numbers changed; the same object where nothing changed. */
function walk(value: Json, text: (text: string) => Json, number: (number: number) => Json = same): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return number(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, text, number));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value).map(
    ([key, member]) => [key, String(text(key)), walk(member, text, number), member] as const,
  );
  if (!members.some(([key, newKey, after, before]) => key !== newKey || after !== before)) return value;
  return Object.fromEntries(members.map(([, key, after]) => [key, after]));
}
