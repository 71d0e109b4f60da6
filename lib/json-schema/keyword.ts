import type { Json, JsonObject } from '../json';
import type { Pattern } from '../regex';
import type { Check, Rule } from './check';

/** Context of a keyword while its schema is compiled. */
export interface KeywordContext {
  /** The schema with the keyword, for keywords that depend on others. */
  readonly schema: JsonObject;
  /** Records a fault at the keyword, or below it; returns null, for "no rule". */
  wrong(message: string, ...below: (string | number)[]): null;
  /** The rule of a schema for members of the value. The schema is at the keyword, or below it. */
  member(schema: Json, ...below: (string | number)[]): Rule;
  /** The rule of a schema for the value itself. */
  same(schema: Json, ...below: (string | number)[]): Rule;
  /** The rule of a sibling schema for the value itself; null when there is none. */
  sibling(key: string): Rule | null;
  /** The rule of a referenced schema for the value itself; null, with a fault, when there is none. */
  referred(reference: string): Rule | null;
  /** A regular expression, linear in the text; null, with a fault, when it is invalid. */
  pattern(source: string, ...below: (string | number)[]): Pattern | null;
}

/** Compiles a keyword's operand; null when it has no rule of its own, or the operand is invalid. */
export type Keyword = (operand: Json, here: KeywordContext) => Rule | null;

/** Keywords by name. */
export type Vocabulary = readonly (readonly [name: string, keyword: Keyword])[];

/** A whole number from 0, or a fault. */
export function countOf(operand: Json, here: KeywordContext): number | null {
  if (typeof operand === 'number' && Number.isSafeInteger(operand) && operand >= 0) return operand;
  return here.wrong('must be a whole number from 0');
}

/** A list of strings, or a fault. */
export function textsOf(operand: Json, here: KeywordContext, ...below: string[]): string[] | null {
  if (Array.isArray(operand) && operand.every((text) => typeof text === 'string')) return operand;
  return here.wrong('must be a list of texts', ...below);
}

/**
 * A pair of keywords that limit the number of parts, such as `minItems` and `maxItems`. `count` is null for values that
 * they do not apply to.
 */
export function counted(
  count: (value: Json, check: Check) => number | null,
  parts: string,
): { readonly min: Keyword; readonly max: Keyword } {
  const keyword =
    (holds: (found: number, limit: number) => boolean, words: string): Keyword =>
    (operand, here) => {
      const limit = countOf(operand, here);
      if (limit === null) return null;
      return (value, check) => {
        const found = count(value, check);
        if (found !== null && !holds(found, limit)) check.fault(`must have ${words} ${limit} ${parts}`);
      };
    };
  return {
    min: keyword((found, limit) => found >= limit, 'at least'),
    max: keyword((found, limit) => found <= limit, 'at most'),
  };
}
