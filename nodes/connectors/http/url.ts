import { Unusable } from '../unusable';
import type { ConnectorRequest } from '../contract';

/** Where the API of a connector is, and where the operator says that it is instead. */
export interface Base {
  readonly known: string;
  readonly operator: string | undefined;
}

/**
 * The URL of a request. What begins with `/` is put behind the base, and stays under its host. With a base of the
 * operator's, every request goes there: one under the known base keeps what is behind that, any other its path.
 * @throws Unusable
 */
export function urlOf({ url, query = {} }: Pick<ConnectorRequest, 'url' | 'query'>, base: Base): string {
  const made = url.startsWith('/') ? `${bare(base.operator ?? base.known)}${url}` : moved(url, base);
  if (!URL.canParse(made)) throw new Unusable(`the address ${made.split('?', 1)[0]} is malformed`);
  return withQuery(made, query);
}

function moved(url: string, base: Base): string {
  const { operator } = base;
  if (operator === undefined || !URL.canParse(url) || new URL(url).origin === new URL(operator).origin) return url;
  const known = bare(base.known);
  if (url === known || /^[/?]/.test(url.startsWith(known) ? url.slice(known.length) : ''))
    return bare(operator) + url.slice(known.length);
  const { pathname, search } = new URL(url);
  return bare(operator) + pathname + search;
}

const bare = (base: string): string => base.replace(/\/+$/, '');

/** Appended as text: a page's own link would be spelled anew by taking it apart. */
function withQuery(url: string, query: NonNullable<ConnectorRequest['query']>): string {
  const pairs = fieldsOf(query);
  if (pairs.length === 0) return url;
  const joint = !url.includes('?') ? '?' : /[?&]$/.test(url) ? '' : '&';
  return `${url}${joint}${new URLSearchParams(pairs)}`;
}

/** Names and values; null and undefined are left out, lists repeated. */
export const fieldsOf = (fields: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== null && one !== undefined)
      .map((one): [string, string] => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
  );
