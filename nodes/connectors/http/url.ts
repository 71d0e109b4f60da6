import { InvalidInputError } from '../invalid-input-error';
import type { ConnectorRequest } from '../contract';

/** The base URL of an API, and the one that the operator has configured instead. */
export interface Base {
  readonly provider: string;
  readonly operator: string | undefined;
}

/**
 * The URL of a request. A URL that begins with `/` is relative to the base. With a base of the operator, every request
 * goes to its host: the base of the provider is replaced, or the origin of another URL. @throws InvalidInputError
 */
export function urlOf({ url, query = {} }: Pick<ConnectorRequest, 'url' | 'query'>, base: Base): string {
  const made = url.startsWith('/')
    ? `${withoutTrailingSlash(base.operator ?? base.provider)}${url}`
    : rebased(url, base);
  if (!URL.canParse(made)) throw new InvalidInputError(`the URL ${made.split('?', 1)[0]} is malformed`);
  return withQuery(made, query);
}

function rebased(url: string, base: Base): string {
  const { operator } = base;
  if (operator === undefined || !URL.canParse(url) || new URL(url).origin === new URL(operator).origin) return url;
  const known = withoutTrailingSlash(base.provider);
  if (url === known || /^[/?]/.test(url.startsWith(known) ? url.slice(known.length) : ''))
    return withoutTrailingSlash(operator) + url.slice(known.length);
  const { pathname, search } = new URL(url);
  return withoutTrailingSlash(operator) + pathname + search;
}

const withoutTrailingSlash = (base: string): string => base.replace(/\/+$/, '');

/** Appended as text: parsing a link of the provider would change its encoding. */
function withQuery(url: string, query: NonNullable<ConnectorRequest['query']>): string {
  const pairs = fieldsOf(query);
  if (pairs.length === 0) return url;
  const joint = !url.includes('?') ? '?' : /[?&]$/.test(url) ? '' : '&';
  return `${url}${joint}${new URLSearchParams(pairs)}`;
}

/** Form or query fields. Null and undefined are omitted; a list repeats its field. */
export const fieldsOf = (fields: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== null && one !== undefined)
      .map((one): [string, string] => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
  );
