import { type FieldPath, parseFieldPath, valueAt } from '../../lib/field-path';
import type { Json, JsonObject } from '../../lib/json';
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

/** The variables of a response `{status, headers, body}`: null if there is nothing at the path. */
export const outputsOf = (variables: readonly OutputVariable[], answer: JsonObject): JsonObject =>
  Object.fromEntries(variables.map(({ name, path }) => [name, valueAt(answer, parseOutputPath(path) ?? []) ?? null]));

/** Reads the path of an output variable of a trigger, which goes into an item; `$` is the item. Null when the text is no path. */
export const parseItemPath = (text: string): FieldPath | null =>
  text.startsWith('$') ? (parseFieldPath(`item${text.slice(1)}`)?.slice(1) ?? null) : parseFieldPath(text);

/** The variables of each item: null if there is nothing at the path. */
export function itemOutputs(variables: readonly OutputVariable[]): (item: Json) => JsonObject {
  const paths = variables.map(({ name, path }) => [name, parseItemPath(path) ?? []] as const);
  return (item) => Object.fromEntries(paths.map(([name, path]) => [name, valueAt(item, path) ?? null]));
}
