import { compareValues, equal } from '../../../dsl';
import { canonicalJson, isObject, type Json } from '../../../lib/json';
import { Pattern, patternOf, refusalText } from '../../../lib/regex';
import type { Budget } from '../budget';
import { misconfigured } from '../computed';
import { fieldReader } from '../field';

/** Operators that look at the field alone. */
export const LONE_OPERATORS = ['exists', 'not_exists', 'empty', 'not_empty'] as const;

/** Operators that hold the field against a value. */
export const PAIR_OPERATORS = [
  'equals',
  'not_equals',
  'greater_than',
  'greater_or_equal',
  'less_than',
  'less_or_equal',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'not_matches',
  'in',
  'not_in',
] as const;

type LoneOperator = (typeof LONE_OPERATORS)[number];
type PairOperator = (typeof PAIR_OPERATORS)[number];

/** One condition as the author wrote it. */
export interface Condition {
  field?: string;
  operator: LoneOperator | PairOperator;
  value?: Json;
  ignore_case?: boolean;
}

type Test = (found: Json) => boolean;

/** Characters of a text that is looked for, or of a pattern. */
const MAX_WANTED = 1_000;

const LONE: Readonly<Record<LoneOperator, Test>> = {
  exists: (found) => found !== null,
  not_exists: (found) => found === null,
  empty: (found) => isEmpty(found),
  not_empty: (found) => !isEmpty(found),
};

/** Each makes the test for one value, which it checks. A field of another type does not pass, and its opposite does. */
const PAIR: Readonly<Record<PairOperator, (wanted: Json, budget: Budget) => Test>> = {
  equals: (wanted) => (found) => equal(found, wanted),
  not_equals: (wanted) => (found) => !equal(found, wanted),
  greater_than: (wanted) => ordered(wanted, (order) => order > 0),
  greater_or_equal: (wanted) => ordered(wanted, (order) => order >= 0),
  less_than: (wanted) => ordered(wanted, (order) => order < 0),
  less_or_equal: (wanted) => ordered(wanted, (order) => order <= 0),
  contains: (wanted, budget) => containing(wanted, budget),
  not_contains: (wanted, budget) => not(containing(wanted, budget)),
  starts_with: (wanted) => edge(wanted, (found, text) => found.startsWith(text)),
  ends_with: (wanted) => edge(wanted, (found, text) => found.endsWith(text)),
  matches: (wanted, budget) => matching(wanted, budget),
  not_matches: (wanted, budget) => not(matching(wanted, budget)),
  in: (wanted) => among(wanted),
  not_in: (wanted) => not(among(wanted)),
};

/** The test of one condition over items. @throws Refusal when its field or its value is not fit for it */
export function conditionTest(condition: Condition, budget: Budget): Test {
  const read = fieldReader(condition.field);
  const test = testOf(condition, budget);
  return (item) => {
    budget.spend(1);
    return test(read(item));
  };
}

function testOf({ operator, value = null, ignore_case = false }: Condition, budget: Budget): Test {
  if (isLone(operator)) return LONE[operator];
  if (!ignore_case) return PAIR[operator](value, budget);
  const patterned = operator === 'matches' || operator === 'not_matches';
  const test = PAIR[operator](patterned && typeof value === 'string' ? `(?i)${value}` : folded(value), budget);
  return (found) => {
    if (typeof found === 'string') budget.spend(found.length >> 4);
    return test(folded(found));
  };
}

const isLone = (operator: Condition['operator']): operator is LoneOperator =>
  (LONE_OPERATORS as readonly string[]).includes(operator);

/** Text in lower case, alone or in a list. */
const folded = (value: Json): Json => {
  if (typeof value === 'string') return value.toLowerCase();
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? item.toLowerCase() : item)) : value;
};

const not =
  (test: Test): Test =>
  (found) =>
    !test(found);

/** Null, empty text, an empty list or an empty object. */
const isEmpty = (found: Json): boolean => {
  if (found === null || found === '') return true;
  if (Array.isArray(found)) return found.length === 0;
  return isObject(found) && Object.keys(found).length === 0;
};

function ordered(wanted: Json, holds: (order: number) => boolean): Test {
  if (typeof wanted !== 'number' && typeof wanted !== 'string') {
    throw misconfigured('what is greater or less than the field must be a number or a text');
  }
  return (found) => typeof found === typeof wanted && holds(compareValues(found, wanted));
}

/** Text in text, a value in a list, a key in an object. */
function containing(wanted: Json, budget: Budget): Test {
  const text = typeof wanted === 'string' ? short(wanted) : null;
  return (found) => {
    if (Array.isArray(found)) return found.some((item) => equal(item, wanted));
    if (text === null) return false;
    if (typeof found !== 'string') return isObject(found) && Object.hasOwn(found, text);
    // At worst each character is looked for at each place.
    budget.spend(Math.ceil((found.length * text.length) / 200));
    return found.includes(text);
  };
}

function edge(wanted: Json, holds: (found: string, text: string) => boolean): Test {
  const text = short(wanted);
  return (found) => typeof found === 'string' && holds(found, text);
}

/** RE2: linear in the text, whatever the pattern. */
function matching(wanted: Json, budget: Budget): Test {
  const pattern = compilePattern(short(wanted));
  budget.spend(pattern.operations);
  return (found) => {
    if (typeof found !== 'string') return false;
    budget.spend(Math.ceil(pattern.workOf(found.length) / 8));
    return pattern.test(found);
  };
}

/** @throws Refusal for an invalid RE2 expression, or one that is too large */
export function compilePattern(source: string): Pattern {
  const pattern = patternOf(source);
  if (pattern instanceof Pattern) return pattern;
  throw misconfigured(`the pattern ${refusalText(pattern)}`);
}

function short(wanted: Json): string {
  if (typeof wanted === 'string' && wanted.length <= MAX_WANTED) return wanted;
  throw misconfigured(`this operator takes a text of at most ${MAX_WANTED} characters`);
}

function among(wanted: Json): Test {
  if (!Array.isArray(wanted)) throw misconfigured('"in" and "not_in" take a list of values');
  const values = new Set(wanted.map(canonicalJson));
  return (found) => values.has(canonicalJson(found));
}
