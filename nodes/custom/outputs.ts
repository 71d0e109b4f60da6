import { type FieldPath, parseFieldPath, valueAt } from '../../lib/field-path';
import type { JsonObject } from '../../lib/json';
import type { OutputVariable } from './definition';

const PARTS_OF_ANSWER: ReadonlySet<string | undefined> = new Set(['status', 'headers', 'body']);

/**
 * Reads the path of an output variable: `body.items[0].id`, `status`, `headers['x-request-id']`. Without one of those
 * three, or after `$`, it is a path in the body; `$` alone is the whole body. Null when the text is no path.
 */
export function parseOutputPath(text: string): FieldPath | null {
  if (text === '$') return ['body'];
  if (text.startsWith('$')) return parseFieldPath(`body${text.slice(1)}`);
  const path = parseFieldPath(text);
  return path === null || PARTS_OF_ANSWER.has(path[0]) ? path : ['body', ...path];
}

/** The variables of an answer `{status, headers, body}`: null where it has nothing at the path. */
export const outputsOf = (variables: readonly OutputVariable[], answer: JsonObject): JsonObject =>
  Object.fromEntries(variables.map(({ name, path }) => [name, valueAt(answer, parseOutputPath(path) ?? []) ?? null]));
