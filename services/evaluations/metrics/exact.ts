import { equal, toText } from '../../../dsl';
import { tick } from '../../../lib/compute/time-slice';
import { isObject, type Json } from '../../../lib/json';
import { MetricFault } from './fault';

/** A score from 0 to 1, and in words why it is not 1. */
export interface Score {
  readonly score: number;
  readonly reason: string | null;
}

const all: Score = { score: 1, reason: null };
const none = (reason: string): Score => ({ score: 0, reason });

/** Whether both are the same JSON; the order of members does not count. Pure. */
export const scoreEquals = (value: Json, expected: Json): Score =>
  equal(value, expected) ? all : none('the output is not equal to the expected value');

/** Whether the text of a value contains a text, or all texts of a list: the share that it contains. Pure. */
export function scoreContains(value: Json, expected: Json, ignoreCase: boolean): Score {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const text = fold(toText(value));
  const wanted = (Array.isArray(expected) ? expected : [expected]).map((each) => fold(toText(each)));
  const missing = wanted.filter((each) => !text.includes(each));
  if (missing.length === 0) return all;
  const score = (wanted.length - missing.length) / wanted.length;
  return { score, reason: `the output does not contain ${shown(missing[0] as string)}` };
}

/** Whether a number is within a tolerance of another one, absolute or as a share of it. Pure. @throws MetricFault */
export function scoreNumber(value: Json, expected: Json, tolerance: number, relative: boolean): Score {
  const [actual, wanted] = [numberOf(value, 'the value'), numberOf(expected, 'the expected value')];
  const allowed = relative ? Math.abs(wanted) * tolerance : tolerance;
  const difference = Math.abs(actual - wanted);
  return difference <= allowed ? all : none(`${actual} differs from ${wanted} by ${Number(difference.toPrecision(6))}`);
}

function numberOf(value: Json, what: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new MetricFault(`${what} is not a number`);
}

/**
 * The share of the expected value that is there: members of objects by their names, items of lists by their position, other
 * values as a whole. What is there beside it does not count. Pure.
 */
export function scoreSubset(value: Json, expected: Json): Score {
  const counts = { leaves: 0, found: 0, first: '' };
  compare(value, expected, '', counts);
  if (counts.found === counts.leaves) return all;
  return {
    score: counts.found / counts.leaves,
    reason: `${counts.first === '' ? 'the output' : counts.first} differs`,
  };
}

function compare(
  value: Json | undefined,
  expected: Json,
  path: string,
  counts: { leaves: number; found: number; first: string },
): void {
  tick(1);
  if (isObject(expected) && Object.keys(expected).length > 0) {
    for (const [key, each] of Object.entries(expected)) {
      const inner = isObject(value) && Object.hasOwn(value, key) ? (value[key] as Json) : undefined;
      compare(inner, each, path === '' ? key : `${path}.${key}`, counts);
    }
    return;
  }
  if (Array.isArray(expected) && expected.length > 0) {
    for (const [index, each] of expected.entries())
      compare(Array.isArray(value) ? value[index] : undefined, each, `${path}[${index}]`, counts);
    return;
  }
  counts.leaves += 1;
  const isSame = value !== undefined && (isEmpty(expected) ? sameKind(value, expected) : equal(value, expected));
  if (isSame) counts.found += 1;
  else if (counts.first === '') counts.first = path;
}

const isEmpty = (value: Json): boolean => typeof value === 'object' && value !== null;
const sameKind = (value: Json, expected: Json): boolean =>
  Array.isArray(expected) ? Array.isArray(value) : isObject(value);

/** 1 up to a limit, and the share of the limit in a value above it. Pure. */
export const scoreLimit = (value: number, max: number, unit: string): Score =>
  value <= max ? all : { score: max / value, reason: `${value} ${unit} are more than ${max}` };

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
