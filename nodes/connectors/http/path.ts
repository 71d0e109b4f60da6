import type { Json, JsonObject } from '../../../lib/json';
import { Unusable } from '../unusable';

/** A value whose slashes stay what they are: the path of a file. */
class Segments {
  constructor(readonly parts: readonly string[]) {}
}

/** For `at`: a path of several parts, as `docs/guide.md`. A slash in front is left out. @throws Unusable */
export const segments = (value: Json | undefined): Segments =>
  new Segments(textOf(value).replace(/^\/+/, '').split('/'));

type Value = Json | Segments | undefined;

/**
 * The path of a request, with each value encoded: at`/repos/${owner}/${repo}`. No value can add a part, a query or a
 * step upwards. @throws Unusable for a value that is no text or number, an empty one, and `.` or `..` as a part
 */
export const at = (texts: TemplateStringsArray, ...values: readonly Value[]): string => joined(texts, values);

/** The same of a text with names of values in braces: `/repos/{owner}/{repo}`. @throws Unusable */
export const filled = (path: string, values: JsonObject): string =>
  joined(
    path.split(/\{\w+\}/),
    Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => values[name]),
  );

function joined(texts: readonly string[], values: readonly Value[]): string {
  const path = texts.map((text, index) => text + (index < values.length ? encoded(values[index]) : '')).join('');
  const [before = ''] = path.split('?', 1);
  if (before.split('/').some((part) => part === '.' || part === '..'))
    throw new Unusable('a part of the path must not be . or ..');
  return path;
}

function encoded(value: Value): string {
  if (!(value instanceof Segments)) return encodedPart(textOf(value));
  return value.parts.map(encodedPart).join('/');
}

/** Half a character, which has no bytes in UTF-8, becomes the one that stands for such. */
function encodedPart(part: string): string {
  if (part === '') throw new Unusable('a part of the path must not be empty');
  return encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd'));
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new Unusable('a part of the path must be a text or a number');
}
