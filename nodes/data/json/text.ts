import { setOwn } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { MAX_SIZE, Refusal } from '../computed';

/** A number that may be larger than JSON values can be: only then is each one looked at. */
const LARGE_NUMBER = /[eE]\+?\d{3}|\d{300}/;

/** The value of a JSON text. @throws Refusal `invalid_json` */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text, LARGE_NUMBER.test(text) ? finite : undefined) as Json;
  } catch {
    // The parser's own message quotes pieces of the text, in which a secret would not be recognised.
    throw new Refusal('invalid_json', 'the text is not JSON, or nested too deep');
  }
}

const finite = (_key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('number out of range');
  return value;
};

/** The value with the keys of its objects in code-unit order, at every depth. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(object, key, sorted(value[key] as Json));
  return object;
}

/** JSON text with this many spaces a level. @throws Refusal `too_large` when they alone fill what an output may have */
export function writeJson(value: Json, indent: number): string {
  if (indent > 0 && levelsOf(value, 0) * indent > MAX_SIZE) {
    throw new Refusal('too_large', 'the text would be larger than 1 MiB; choose a smaller indent');
  }
  return JSON.stringify(value, null, indent);
}

/** How many levels all lines of the indented text are in, taken together. */
function levelsOf(value: Json, level: number): number {
  if (value === null || typeof value !== 'object') return level;
  let levels = 2 * level;
  for (const inner of Object.values(value)) levels += levelsOf(inner, level + 1);
  return levels;
}
