import type { ValueDifference } from '../../../contracts/executions/comparison';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { beginningOf } from '../../../lib/json/beginning';
import { memberPath } from '../../../lib/json-path';

/** Characters of each value that is shown, and of a path. */
const MAX_VALUE_CHARS = 200;
const MAX_PATH_CHARS = 500;

interface Changes {
  readonly changes: ValueDifference[];
  /** There are more than were asked for. */
  readonly more: boolean;
}

/** A place in both values; undefined where a value has none. */
interface Place {
  readonly holder: Place | null;
  readonly key: string | number;
  readonly a: Json | undefined;
  readonly b: Json | undefined;
}

/**
 * The places at which two JSON values differ, at most `max`, in the order of the first value. The order of members does
 * not count; items of lists are compared by their indexes. Yields between members, so that the work can be sliced. Pure.
 */
export function* changesOf(a: Json | undefined, b: Json | undefined, max: number): Generator<void, Changes> {
  const changes: ValueDifference[] = [];
  // Iterators instead of recursion: values may be deep.
  const open: Iterator<Place>[] = [[{ holder: null, key: '', a, b }].values()];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    yield;
    const next = inner.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const place = next.value;
    const inside = place.a === place.b ? NOTHING : insideOf(place);
    if (inside !== null) {
      open.push(inside);
      continue;
    }
    if (changes.length >= max) return { changes, more: true };
    changes.push(shown(place));
  }
  return { changes, more: false };
}

const NOTHING: Iterator<Place> = { next: () => ({ done: true, value: undefined }) };

/** The members or items of two values of one kind; null for a difference of the values themselves. */
function insideOf(place: Place): Iterator<Place> | null {
  const { a, b } = place;
  if (Array.isArray(a) && Array.isArray(b)) return items(place, a, b);
  return isObject(a) && isObject(b) ? members(place, a, b) : null;
}

function* items(holder: Place, a: readonly Json[], b: readonly Json[]): Generator<Place> {
  for (let key = 0; key < Math.max(a.length, b.length); key++) yield { holder, key, a: a[key], b: b[key] };
}

function* members(holder: Place, a: JsonObject, b: JsonObject): Generator<Place> {
  for (const key in a) yield { holder, key, a: a[key], b: own(b, key) };
  for (const key in b) if (!Object.hasOwn(a, key)) yield { holder, key, a: undefined, b: b[key] };
}

const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function shown(place: Place): ValueDifference {
  const [a, b] = [beginning(place.a), beginning(place.b)];
  const path = pathOf(place);
  return {
    path: path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS - 1)}…` : path,
    ...(a === null ? {} : { a: a.value }),
    ...(b === null ? {} : { b: b.value }),
    cut: a?.truncated === true || b?.truncated === true,
  };
}

const beginning = (value: Json | undefined): ReturnType<typeof beginningOf> | null =>
  value === undefined ? null : beginningOf(value, MAX_VALUE_CHARS);

/** Only as much of a long path as is shown. */
function pathOf(place: Place): string {
  const keys: (string | number)[] = [];
  for (let at = place; at.holder !== null; at = at.holder) keys.push(at.key);
  let path = '';
  for (const key of keys.reverse()) {
    if (path.length > MAX_PATH_CHARS) break;
    path = memberPath(path, key);
  }
  return path;
}
