import type { RE2JS } from 're2js';
import type { Json, JsonObject } from '../json';
import type { Check, Rule } from './check';

/** Where a keyword stands while its schema is compiled. */
export interface Here {
  /** The schema that the keyword is a member of: keywords may have to know their siblings. */
  readonly schema: JsonObject;
  /** Records that the schema is wrong at the keyword, or below it; answers null, for "no rule". */
  wrong(message: string, ...below: (string | number)[]): null;
  /** The rule of a schema for members of the value. It stands at the keyword, or below it. */
  member(schema: Json, ...below: (string | number)[]): Rule;
  /** The rule of a schema for the value itself. */
  same(schema: Json, ...below: (string | number)[]): Rule;
  /** The rule of a schema beside the keyword, for the value itself; null when there is none. */
  sibling(key: string): Rule | null;
  /** The rule of the schema that a reference names, for the value itself; null, and told, when there is none. */
  referred(reference: string): Rule | null;
  /** A regular expression, matched in time linear in the text; null, and told, when it is none. */
  pattern(source: string, ...below: (string | number)[]): Pattern | null;
}

/** A compiled regular expression. `size` says how much work a character may be. */
export interface Pattern {
  readonly source: string;
  readonly size: number;
  readonly regex: RE2JS;
}

/** Makes the rule of a keyword from its operand; null when it has none of its own, or the operand is wrong. */
export type Keyword = (operand: Json, here: Here) => Rule | null;

/** Keywords with their names. */
export type Vocabulary = readonly (readonly [name: string, keyword: Keyword])[];

/** A whole number from 0, told when it is none. */
export function countOf(operand: Json, here: Here): number | null {
  if (typeof operand === 'number' && Number.isSafeInteger(operand) && operand >= 0) return operand;
  return here.wrong('must be a whole number from 0');
}

/** Texts, told when they are none. */
export function textsOf(operand: Json, here: Here, ...below: string[]): string[] | null {
  if (Array.isArray(operand) && operand.every((text) => typeof text === 'string')) return operand;
  return here.wrong('must be a list of texts', ...below);
}

/**
 * The two keywords about how many parts a value has, such as `minItems` and `maxItems`. `count` is null for values that
 * they say nothing about.
 */
export function counted(
  count: (value: Json, check: Check) => number | null,
  parts: string,
): { readonly least: Keyword; readonly most: Keyword } {
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
    least: keyword((found, limit) => found >= limit, 'at least'),
    most: keyword((found, limit) => found <= limit, 'at most'),
  };
}
