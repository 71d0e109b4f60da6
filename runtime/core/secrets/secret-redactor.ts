/**
 * Keeps secret values out of everything that is stored or shown.
 *
 *  V1  `tokenize`: the result contains no value of a registered secret, in any of its encoded forms; each is replaced
 *      by a placeholder that names it.
 *  V2  `detokenize(tokenize(x))` is x, as long as the secret keeps its value; after a change it contains the newest
 *      value. After a deletion it throws: a deleted secret is never sent.
 *  V3  A placeholder contains a code of its run that is never shown, so that no text from outside can imitate one.
 *  V4  `redact`: the result contains neither values nor placeholders, only `***`.
 *  V5  `redactOutgoing`, for data that callers and other runs receive: as `redact`, except that text shorter than
 *      `MIN_OUTGOING_CHARS` stays unchanged, even if it equals a secret.
 */
import type { Json } from '../../../lib/json';
import { preparedJson } from '../../../lib/json/prepared';
import type { TimeSlice } from '../../../lib/time-slices';
import { encodedForms } from './encoded-forms';
import { MultiPatternMatcher } from './multi-pattern-matcher';
import { type Changes, isLong, walk, walkSliced } from './walk-json';

const MASK = '***';
const OPENING = '⟦secret:';
const CLOSING = '⟧';
/** In characters; names of secrets and of fields of connections are shorter than that by far. */
const MAX_PLACEHOLDER_CHARS = 1_000;
const NAME = '[A-Za-z_]\\w*';
const ANY_PLACEHOLDER = new RegExp(`${OPENING}${NAME}(?:\\.\\w+)?:[0-9a-z]+⟧`, 'g');
/** The form of a placeholder for a number. */
const NUMBER = 'n';

/** In UTF-16 units. Shorter values are not redacted: they occur everywhere by chance, and are easily guessed. */
const MIN_REDACTED_CHARS = 4;
/** In UTF-16 units. A shorter text may equal a secret by chance, such as a year, and data must not be changed by chance. */
const MIN_OUTGOING_CHARS = 8;
/** Characters between two checks of the clock. */
const SLICE_CHARS = 32 * 1024;

export class SecretRedactor {
  /** The newest value of each secret. */
  readonly #secrets = new Map<string, string>();
  /** Names that were requested and do not exist (any more). */
  readonly #deleted = new Set<string>();
  /** Patterns, and the inner part of the placeholder of each. Earlier values stay registered. */
  readonly #placeholders = new Map<string, string>();
  #hidden: MultiPatternMatcher | null = null;
  /** The patterns of `#hidden` that are redacted in outgoing data. */
  #outgoing: MultiPatternMatcher | null = null;
  #patterns: { placeholder: RegExp; number: RegExp } | null = null;

  /**
   * `code`: letters and digits, unguessable, the same at every activation of the run. Called when a placeholder is
   * written or read.
   */
  constructor(private readonly code: () => string) {}

  /**
   * Registers the current values of secrets; earlier values of the run stay registered. `asked`: all names that were
   * requested.
   */
  register(secrets: ReadonlyMap<string, string>, asked: readonly string[] = []): void {
    for (const name of asked) {
      if (secrets.has(name)) this.#deleted.delete(name);
      else this.#deleted.add(name);
    }
    let changed = false;
    for (const [name, value] of secrets) {
      if (this.#secrets.get(name) === value) continue;
      this.#secrets.set(name, value);
      if (value.length < MIN_REDACTED_CHARS) continue;
      changed = true;
      encodedForms(value).forEach((form, index) => {
        // A secret value is never treated as an encoded form of another one.
        if (form.length >= MIN_REDACTED_CHARS && !this.#placeholders.has(form))
          this.#placeholders.set(form, `${name}.${index}`);
      });
      this.#placeholders.set(value, name);
    }
    if (!changed) return;
    this.#hidden = new MultiPatternMatcher(this.#placeholders.keys());
    this.#outgoing = new MultiPatternMatcher([...this.#placeholders.keys()].filter(isRedactedOutgoing));
  }

  /** True while no secret is known, so nothing is tokenized. */
  get isEmpty(): boolean {
    return this.#secrets.size === 0 && this.#deleted.size === 0;
  }

  /** True if each of these secrets is registered, or known not to exist. */
  hasRegistered(names: readonly string[]): boolean {
    return names.every((name) => this.#secrets.has(name) || this.#deleted.has(name));
  }

  tokenize(value: Json): Json {
    return this.#hidden === null ? value : walk(value, this.#tokenizing(this.#hidden));
  }

  /** `tokenize` in slices of time, for large values. */
  async tokenizeSliced(value: Json): Promise<Json> {
    const hidden = this.#hidden;
    return hidden === null || !isLong(value) ? this.tokenize(value) : walkSliced(value, this.#tokenizing(hidden));
  }

  /** @throws Error for the placeholder of a deleted secret */
  detokenize(value: Json): Json {
    if (this.#secrets.size === 0 && this.#deleted.size === 0) return value;
    const text = (tokenized: string): Json =>
      tokenized.includes(OPENING) ? this.#detokenizeText(tokenized) : tokenized;
    return walk(value, { text, number: same, skips: hasNoPlaceholders });
  }

  redact(value: Json): Json {
    return walk(value, this.#redacting());
  }

  /** `redact` in slices of time, for large values. */
  async redactSliced(value: Json): Promise<Json> {
    return isLong(value) ? walkSliced(value, this.#redacting()) : this.redact(value);
  }

  redactOutgoing(value: Json): Json {
    return walk(value, this.#redactingOutgoing());
  }

  /** `redactOutgoing` in slices of time, for large values. */
  async redactOutgoingSliced(value: Json): Promise<Json> {
    return isLong(value) ? walkSliced(value, this.#redactingOutgoing()) : this.redactOutgoing(value);
  }

  /** As `redact`, but names the secret in each position, so that two values can be compared. */
  async fingerprint(value: Json): Promise<Json> {
    const nameOf = (found: string): string => `${MASK}${this.#placeholders.get(found) ?? ''}${MASK}`;
    const fingerprinting: Changes = {
      text: (text) => this.#hidden?.replace(text, nameOf) ?? text,
      number: (number) => (this.#nameOf(number) === undefined ? number : nameOf(String(number))),
      longText: (text, slice) => replaceSliced(this.#hidden, text, nameOf, slice),
    };
    return isLong(value) ? walkSliced(value, fingerprinting) : walk(value, fingerprinting);
  }

  #tokenizing(hidden: MultiPatternMatcher): Changes {
    const placeholderOf = (found: string): string => this.#placeholderOf(this.#placeholders.get(found) as string);
    return {
      text: (text) => hidden.replace(text, placeholderOf),
      number: (number) => {
        const name = this.#nameOf(number);
        return name === undefined ? number : this.#placeholderOf(`${name}.${NUMBER}`);
      },
      longText: (text, slice) => replaceSliced(hidden, text, placeholderOf, slice),
    };
  }

  #redacting(): Changes {
    return {
      text: (text) => this.redactText(text),
      number: (number) => (this.#nameOf(number) === undefined ? number : MASK),
      longText: (text, slice) => replaceSliced(this.#hidden, withoutPlaceholders(text), () => MASK, slice),
      ...(this.#hidden === null ? { skips: hasNoPlaceholders } : {}),
    };
  }

  #redactingOutgoing(): Changes {
    return {
      text: (text) => {
        const restored = this.#withShortValues(text);
        return typeof restored === 'string' ? (this.#outgoing?.replace(restored, () => MASK) ?? restored) : restored;
      },
      number: (number) => (this.#nameOf(number) !== undefined && isRedactedOutgoing(String(number)) ? MASK : number),
      longText: async (text, slice) =>
        replaceSliced(this.#outgoing, String(this.#withShortValues(text)), () => MASK, slice),
      ...(this.#hidden === null ? { skips: hasNoPlaceholders } : {}),
    };
  }

  /** Replaces placeholders: by the value if it is short and known, else by `***`. */
  #withShortValues(text: string): Json {
    if (!text.includes(OPENING)) return text;
    const { placeholder, number } = this.#ownPlaceholders();
    const numbered = number.exec(text);
    if (numbered !== null) {
      const value = this.#shortForm(numbered[1] as string);
      return value === null ? MASK : Number(value);
    }
    return withoutPlaceholders(
      text.replace(placeholder, (_, name: string, form?: string) => this.#shortForm(name, form) ?? MASK),
    );
  }

  redactText(text: string): string {
    const plain = withoutPlaceholders(text);
    return this.#hidden === null ? plain : this.#hidden.replace(plain, () => MASK);
  }

  /** `redactText` for a text that is not complete; `rest` must be passed again together with the next part. */
  redactPartial(text: string): { done: string; rest: string } {
    const open = openPlaceholderIn(text);
    const { done, rest } = this.#redactWhole(text.slice(0, open));
    return { done, rest: rest + text.slice(open) };
  }

  #redactWhole(text: string): { done: string; rest: string } {
    const plain = withoutPlaceholders(text);
    return this.#hidden?.replaceSoFar(plain, () => MASK) ?? { done: plain, rest: '' };
  }

  /** The name of the secret with this number as its value. */
  #nameOf(number: number): string | undefined {
    const inner = this.#placeholders.get(String(number));
    return inner === undefined || inner.includes('.') ? undefined : inner;
  }

  #valueOf(name: string): string | undefined {
    if (this.#deleted.has(name)) throw new Error(`There is no secret named ${name}`);
    return this.#secrets.get(name);
  }

  #placeholderOf(inner: string): string {
    return `${OPENING}${inner}:${this.code()}⟧`;
  }

  /** The value of a secret, or a form of it; null if it is unknown or is redacted in outgoing data. */
  #shortForm(name: string, form?: string): string | null {
    const value = this.#deleted.has(name) ? undefined : this.#secrets.get(name);
    if (value === undefined) return null;
    const text = form === undefined ? value : encodedForms(value)[Number(form)];
    return text === undefined || text === '' || isRedactedOutgoing(text) ? null : text;
  }

  #ownPlaceholders(): { placeholder: RegExp; number: RegExp } {
    this.#patterns ??= {
      placeholder: new RegExp(`${OPENING}(${NAME})(?:\\.(\\d+))?:${this.code()}⟧`, 'g'),
      number: new RegExp(`^${OPENING}(${NAME})\\.${NUMBER}:${this.code()}⟧$`),
    };
    return this.#patterns;
  }

  #detokenizeText(text: string): Json {
    const patterns = this.#ownPlaceholders();
    const number = patterns.number.exec(text);
    if (number !== null) {
      const value = this.#valueOf(number[1] as string);
      return value === undefined ? text : Number(value);
    }
    return text.replace(patterns.placeholder, (placeholder, name: string, form: string | undefined) => {
      const value = this.#valueOf(name);
      if (value === undefined) return placeholder;
      return form === undefined ? value : (encodedForms(value)[Number(form)] ?? placeholder);
    });
  }
}

/** Replaces placeholders of any run by `***`, for readers of records that have no secret values. */
export const redactPlaceholders = (value: Json): Json =>
  walk(value, { text: withoutPlaceholders, number: same, skips: hasNoPlaceholders });

/** True when a value, or a key in it, contains a placeholder of any run. */
export const hasPlaceholders = (value: Json): boolean => JSON.stringify(value).includes(OPENING);

const withoutPlaceholders = (text: string): string =>
  text.includes(OPENING) ? text.replace(ANY_PLACEHOLDER, MASK) : text;

/** True for a large value whose known JSON contains no placeholders; false when nothing is known. */
const hasNoPlaceholders = (value: object): boolean => preparedJson(value)?.json.includes(OPENING) === false;

const isRedactedOutgoing = (text: string): boolean => text.length >= MIN_OUTGOING_CHARS;

/** `search.replace` in slices of time. */
async function replaceSliced(
  search: MultiPatternMatcher | null,
  text: string,
  by: (found: string) => string,
  slice: TimeSlice,
): Promise<string> {
  if (search === null) return text;
  const parts: string[] = [];
  let rest = '';
  for (let at = 0; at < text.length; at += SLICE_CHARS) {
    const part = search.replaceSoFar(rest + text.slice(at, at + SLICE_CHARS), by);
    parts.push(part.done);
    rest = part.rest;
    if (slice.due) await slice.pause();
  }
  return parts.join('') + search.replace(rest, by);
}

const same = (number: number): Json => number;

/** Start of an incomplete placeholder at the end of a text; the length of the text when there is none. */
function openPlaceholderIn(text: string): number {
  const bracket = text.lastIndexOf(OPENING[0] as string);
  if (bracket < 0 || text.length - bracket > MAX_PLACEHOLDER_CHARS) return text.length;
  const tail = text.slice(bracket);
  const isPrefix = tail.length < OPENING.length ? OPENING.startsWith(tail) : tail.startsWith(OPENING);
  return isPrefix && !tail.includes(CLOSING) ? bracket : text.length;
}
