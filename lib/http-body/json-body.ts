import { AppError } from '../errors';
import type { Json } from '../json';
import { jsonFault } from './json-fault';

/** The document database nests at most 100 deep, and a body becomes part of a record. */
const DEEPEST = 64;
/** Values in all; what a body of the usual limit can hold at two bytes each is too much to walk more than once. */
const MOST_VALUES = 1_000_000;

/**
 * The value of a JSON text, within bounds. Every key is kept, `__proto__` and `constructor` too: the parser makes own
 * members of them, and whatever handles values after it copies by spread or from text, never by assignment.
 * @throws AppError
 */
export function parseJson(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    const place = jsonFault(text);
    const where = place === null ? '' : `, line ${place.line}, column ${place.column}`;
    throw new AppError('invalid_json', `The body is not valid JSON${where}`, {}, { cause });
  }
  if (typeof value === 'object' && value !== null) assertBounds(value);
  return value;
}

/** What a text must have for a value of it to hold half of a surrogate pair. */
const SUSPECT = /\\u[dD][89a-fA-F]/;
/** `JSON.stringify` writes whole pairs as they are, and halves as escapes (ECMAScript 25.5.2.3). */
const HALF = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

/**
 * Refuses strings that are no Unicode text (RFC 7493 section 2.1): stored in UTF-8 they come back as others, so that a
 * name, a password or a signal would silently not be what was sent. @throws AppError invalid_json
 */
export function assertText(text: string, value: Json): void {
  if (!SUSPECT.test(text) || !HALF.test(JSON.stringify(value))) return;
  throw new AppError(
    'invalid_json',
    'The body holds half of a surrogate pair (\\ud800 to \\udfff alone), which is no text',
  );
}

/** Level by level instead of by recursion, so that depth costs no stack. */
function assertBounds(root: Json[] | { [key: string]: Json }): void {
  let level: (Json[] | { [key: string]: Json })[] = [root];
  let values = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new AppError('invalid_json', `The body nests deeper than ${DEEPEST} levels`);
    const next: typeof level = [];
    for (const container of level) {
      const members = Array.isArray(container) ? container : Object.values(container);
      values += members.length;
      if (values > MOST_VALUES) throw new AppError('invalid_json', `The body holds more than ${MOST_VALUES} values`);
      for (const member of members) if (typeof member === 'object' && member !== null) next.push(member);
    }
    level = next;
  }
}
