import type { Json, JsonObject } from '../../../lib/json';
import { InvalidInputError } from '../invalid-input-error';

/** A value with several path segments, such as the path of a file. */
class Segments {
  constructor(readonly parts: readonly string[]) {}
}

/** For `urlPath`: a value with several segments, such as `docs/guide.md`. A leading slash is removed. @throws InvalidInputError */
export const pathSegments = (value: Json | undefined): Segments =>
  new Segments(textOf(value).replace(/^\/+/, '').split('/'));

type Value = Json | Segments | undefined;

/**
 * The path of a request with encoded values: urlPath`/repos/${owner}/${repo}`. A value cannot add a segment or a query.
 * @throws InvalidInputError for an empty value, `.` and `..`, and anything but text and numbers
 */
export const urlPath = (texts: TemplateStringsArray, ...values: readonly Value[]): string => joined(texts, values);

/** The same for a path with names in braces: `/repos/{owner}/{repo}`. @throws InvalidInputError */
export const fillPath = (path: string, values: JsonObject): string =>
  joined(
    path.split(/\{\w+\}/),
    Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => values[name]),
  );

function joined(texts: readonly string[], values: readonly Value[]): string {
  const path = texts.map((text, index) => text + (index < values.length ? encoded(values[index]) : '')).join('');
  const [before = ''] = path.split('?', 1);
  if (before.split('/').some((part) => part === '.' || part === '..'))
    throw new InvalidInputError('a part of the path must not be . or ..');
  return path;
}

function encoded(value: Value): string {
  if (!(value instanceof Segments)) return encodedPart(textOf(value));
  return value.parts.map(encodedPart).join('/');
}

/** Unpaired surrogates, which UTF-8 cannot encode, become replacement characters. */
function encodedPart(part: string): string {
  if (part === '') throw new InvalidInputError('a part of the path must not be empty');
  return encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd'));
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new InvalidInputError('a part of the path must be a text or a number');
}
