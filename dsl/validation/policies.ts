import { parseDuration } from '../../lib/duration';
import { isObject } from '../../lib/json';
import { MAY_BE_EMPTY } from '../blocks';
import { BACKOFFS, ON_ERROR } from '../document';
import { didYouMean } from '../suggest';
import { type Issues, typeName } from './issues';
import { checkKeys } from './keywords';

const RETRY_KEYS = ['max_attempts', 'backoff', 'initial_interval', 'max_interval', 'factor', 'jitter'] as const;
const DURATION_HINT = 'write 500ms, 30s, 1h30m, 7d, or a number of seconds';
const MAX_ATTEMPTS = 100;
const MAX_FACTOR = 100;

/** Checks a duration that must be longer than nothing. */
export function checkDuration(value: unknown, path: string, issues: Issues): void {
  if (value === undefined) return;
  const ms = parseDuration(value);
  if (ms === null) issues.error(path, 'not a duration', DURATION_HINT);
  else if (ms === 0) issues.error(path, 'a duration must be longer than 0', DURATION_HINT);
}

/** Checks a `retry` block of a document or a step. */
export function checkRetry(value: unknown, path: string, issues: Issues): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    issues.error(path, `retry must be an object, not ${typeName(value)}`, 'write {"max_attempts": 3}');
    return;
  }
  checkKeys(value, RETRY_KEYS, path, 'retry', issues);
  checkNumber(value.max_attempts, `${path}.max_attempts`, { min: 1, max: MAX_ATTEMPTS, whole: true }, issues);
  checkNumber(value.factor, `${path}.factor`, { min: 1, max: MAX_FACTOR, whole: false }, issues);
  checkNumber(value.jitter, `${path}.jitter`, { min: 0, max: 1, whole: false }, issues);
  checkWord(value.backoff, BACKOFFS, `${path}.backoff`, issues);
  checkDuration(value.initial_interval, `${path}.initial_interval`, issues);
  checkDuration(value.max_interval, `${path}.max_interval`, issues);
  const [initial, max] = [parseDuration(value.initial_interval), parseDuration(value.max_interval)];
  if (initial !== null && max !== null && max < initial) {
    issues.error(`${path}.max_interval`, 'shorter than initial_interval', 'raise it, or leave it out');
  }
}

/** Checks `on_error`: a word, or steps. */
export function checkOnError(value: unknown, path: string, issues: Issues): void {
  if (Array.isArray(value)) checkSteps(value, path, 'on_error', issues);
  else if (typeof value === 'string' || value === undefined) checkWord(value, ON_ERROR, path, issues);
  else issues.error(path, `must be "fail", "continue" or a list of steps, not ${typeName(value)}`);
}

/** Checks that a block is a list, and not empty where it must not be. Its steps are checked as steps. */
export function checkSteps(value: unknown, path: string, key: string, issues: Issues): void {
  if (!Array.isArray(value)) {
    const message = value === undefined ? 'is missing' : `must be a list of steps, not ${typeName(value)}`;
    issues.error(path, message, 'write [{"id": "...", "type": "...", "config": {}}]');
  } else if (value.length === 0 && !MAY_BE_EMPTY.has(key)) {
    issues.error(path, 'needs at least one step');
  }
}

/** Checks an optional label. */
export function checkLabel(value: unknown, path: string, issues: Issues): void {
  if (value !== undefined && typeof value !== 'string') issues.error(path, `must be a string, not ${typeName(value)}`);
}

/** Checks one of a few words. */
export function checkWord(value: unknown, words: readonly string[], path: string, issues: Issues): void {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return;
  const hint = typeof value === 'string' ? didYouMean(value, words) : undefined;
  issues.error(path, `must be ${words.map((word) => `"${word}"`).join(' or ')}`, hint);
}

/** Checks a number within bounds. */
export function checkNumber(
  value: unknown,
  path: string,
  { min, max, whole }: { min: number; max: number; whole: boolean },
  issues: Issues,
): void {
  if (value === undefined) return;
  const fits = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
  if (!fits) issues.error(path, `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
}

/** Checks an id and returns it; null when it is invalid. */
export function checkId(value: unknown, pattern: RegExp, path: string, issues: Issues): string | null {
  if (typeof value === 'string' && pattern.test(value)) return value;
  const message = value === undefined ? 'is missing' : 'is not a valid id';
  issues.error(path, message, 'a letter, then up to 63 letters, digits, _ or -');
  return null;
}
