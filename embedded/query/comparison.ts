import { compare, rank } from '../bson/compare';
import { badValue } from '../bson/error';
import { isNaNValue } from '../bson/numeric';
import { BsonSymbol, MAX_KEY, MIN_KEY, type Maybe, ObjectId, Regex, type Value } from '../bson/value';
import { compileRegex, isSameRegex } from './regex';

/** A test of one value; missing is undefined. */
export type Predicate = (value: Maybe) => boolean;

export type RangeOperator = '$gt' | '$gte' | '$lt' | '$lte';

const isNullish: Predicate = (value) => value === null || value === undefined;

/** `$eq`: equal by BSON comparison; null also means missing. */
export function equalTo(wanted: Value): Predicate {
  if (wanted === null) return isNullish;
  if (typeof wanted === 'string') {
    return (value) => value === wanted || (value instanceof BsonSymbol && value.value === wanted);
  }
  if (typeof wanted === 'boolean') return (value) => value === wanted;
  if (wanted instanceof ObjectId) return (value) => value instanceof ObjectId && value.hex === wanted.hex;
  const class_ = rank(wanted);
  return (value) =>
    value !== undefined && (value === wanted || (rank(value) === class_ && compare(value, wanted) === 0));
}

/** `$gt`, `$gte`, `$lt`, `$lte`: within the same class of types only. NaN is in order with NaN only. */
export function inRange(operator: RangeOperator, limit: Value): Predicate {
  const inclusive = operator === '$gte' || operator === '$lte';
  if (limit === null) return inclusive ? isNullish : () => false;
  if (limit === MIN_KEY || limit === MAX_KEY) return againstExtreme(operator, limit);
  if (isNaNValue(limit)) return inclusive ? isNaNValue : () => false;
  const holds = HOLDS[operator];
  const class_ = rank(limit);
  const general: Predicate = (value) =>
    value !== undefined && rank(value) === class_ && !isNaNValue(value) && holds(compare(value, limit));
  if (typeof limit !== 'number') return general;
  return (value) => (typeof value === 'number' ? holdsFor(operator, value, limit) : general(value));
}

const HOLDS: Record<RangeOperator, (order: number) => boolean> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

/** JavaScript's own comparison of doubles already excludes NaN. */
function holdsFor(operator: RangeOperator, value: number, limit: number): boolean {
  switch (operator) {
    case '$gt':
      return value > limit;
    case '$gte':
      return value >= limit;
    case '$lt':
      return value < limit;
    case '$lte':
      return value <= limit;
  }
}

/** MinKey and MaxKey compare with values of every type: all others are greater than MinKey and less than MaxKey. */
function againstExtreme(operator: RangeOperator, limit: Value): Predicate {
  const matchesOthers =
    limit === MIN_KEY ? operator === '$gt' || operator === '$gte' : operator === '$lt' || operator === '$lte';
  const inclusive = operator === '$gte' || operator === '$lte';
  return (value) => (value === limit ? inclusive : matchesOthers);
}

/** A string that matches the pattern, or an equal stored regular expression. */
export function matchesRegex(pattern: string, options: string): Predicate {
  const regex = compileRegex(pattern, options);
  return (value) => {
    if (typeof value === 'string') return regex.test(value);
    if (value instanceof BsonSymbol) return regex.test(value.value);
    return value instanceof Regex && isSameRegex(value, pattern, options);
  };
}

/** `$in`: by binary search, so that long lists stay cheap; regular expressions are tried one by one. */
export function oneOf(wanted: readonly Value[]): Predicate {
  const values = wanted.filter((value) => !(value instanceof Regex)).sort(compare);
  const regexes = wanted
    .filter((value) => value instanceof Regex)
    .map((value) => matchesRegex(value.pattern, value.options));
  const withNull = values.some((value) => value === null);
  if (regexes.length === 0 && values.every((value) => typeof value === 'string')) {
    const texts = new Set<Value>(values);
    return (value) => texts.has(value instanceof BsonSymbol ? value.value : (value as Value));
  }
  return (value) => {
    if (value === undefined) return withNull;
    return contains(values, value) || regexes.some((matches) => matches(value));
  };
}

function contains(sorted: readonly Value[], value: Value): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const difference = compare(sorted[middle], value);
    if (difference === 0) return true;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Rejects operands that only `$eq` accepts. */
export function assertComparable(operator: string, value: Value, path: string): void {
  if (!(value instanceof Regex)) return;
  throw operator === '$ne'
    ? badValue("Can't have regex as arg to $ne.")
    : badValue(`Can't have RegEx as arg to non-equality predicate over field '${path}'.`);
}
