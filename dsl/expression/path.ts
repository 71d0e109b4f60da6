import type { Json } from '../../lib/json';
import { nearest } from '../suggest';
import type { Expression, Segment } from './ast';
import { absent, fail, type EvaluationState, spend } from './evaluation-state';
import { getOwn, isJsonObject, kindOf } from './values';

const SHOWN_KEYS = 10;
const SHOWN_LENGTH = 40;

/** Follows a path such as `a.b[0]['c d']`. What is missing is null in lenient places, else an error that says what was there. */
export function evaluatePath(
  path: Extract<Expression, { kind: 'path' }>,
  scope: EvaluationState,
  evaluate: (expression: Expression, scope: EvaluationState) => Json,
): Json {
  let value = evaluate(path.base, scope);
  for (let index = 0; index < path.segments.length; index++) {
    spend(scope, 1);
    const segment = path.segments[index] as Segment;
    const key = segment.kind === 'key' ? segment.name : evaluate(segment.value, scope);
    const next = member(value, key);
    if (next === undefined) {
      if (scope.lenient) return null;
      throw missing(path, index, value, key, scope);
    }
    value = next;
  }
  return value;
}

function member(holder: Json, key: Json): Json | undefined {
  if (Array.isArray(holder)) return typeof key === 'string' || typeof key === 'number' ? item(holder, key) : undefined;
  if (!isJsonObject(holder)) return undefined;
  return typeof key === 'string' || typeof key === 'number' ? getOwn(holder, String(key)) : undefined;
}

/** A negative index counts from the end; `.0` is an index too. */
function item(list: Json[], key: string | number): Json | undefined {
  if (typeof key === 'string' && !/^\d{1,9}$/.test(key)) return undefined;
  const index = Number(key);
  return Number.isInteger(index) ? list.at(index) : undefined;
}

function missing(
  path: Extract<Expression, { kind: 'path' }>,
  index: number,
  holder: Json,
  key: Json,
  scope: EvaluationState,
) {
  const { position, segments } = path;
  const end = (segments[index] as Segment).end;
  const parentEnd = segments[index - 1]?.end;
  const whole = scope.source.slice(position, end);
  const parent = parentEnd === undefined ? 'what it is read from' : scope.source.slice(position, parentEnd);
  const holderName = path.base.kind === 'root' && parentEnd === undefined ? path.base.name : parent;
  if (typeof key !== 'string' && typeof key !== 'number') {
    return fail(scope, position, `${whole}: an index is a number or a string, not ${kindOf(key)}`);
  }
  return absent(scope, position, `${whole} does not exist: ${holderName} ${describe(holder, String(key))}`);
}

function describe(holder: Json, key: string): string {
  if (Array.isArray(holder)) return `is an array of ${holder.length}`;
  if (!isJsonObject(holder)) return `is ${holder === null ? 'null' : `a ${kindOf(holder)}`}`;
  const keys = Object.keys(holder);
  if (keys.length === 0) return 'is an empty object';
  const shown = keys
    .slice(0, SHOWN_KEYS)
    .map((each) => (each.length > SHOWN_LENGTH ? `${each.slice(0, SHOWN_LENGTH)}…` : each));
  const more = keys.length > SHOWN_KEYS ? ` and ${keys.length - SHOWN_KEYS} more` : '';
  const match = nearest(key, keys.slice(0, 1_000));
  return `has ${shown.join(', ')}${more}${match === null ? '' : `; did you mean ${match}?`}`;
}
