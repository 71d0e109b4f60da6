import { parseFieldPath, valueAt } from '../../../lib/field-path';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { ConnectorResponse, ConnectorRequest, Pages } from '../contract';

/** The value at a path of the body, such as `paging.next.after`; the whole body for an empty path. */
export const bodyAt = ({ body }: ConnectorResponse, path: string): Json | undefined =>
  valueAt(body, path === '' ? [] : (parseFieldPath(path) ?? []));

const itemsAt =
  (path: string): Pages['items'] =>
  (response) => {
    const found = bodyAt(response, path);
    return Array.isArray(found) ? found : [];
  };

const withQuery = (request: ConnectorRequest, query: NonNullable<ConnectorRequest['query']>): ConnectorRequest => ({
  ...request,
  query: { ...request.query, ...query },
});

/** Links of a Link header (RFC 8288): target, and parameters in lower case. */
function linksIn(header: string): { target: string; parameters: ReadonlyMap<string, string> }[] {
  return [...header.slice(0, 16_384).matchAll(/<([^<>]*)>([^<]*)/g)].map(([, target = '', rest = '']) => ({
    target,
    parameters: new Map(
      [...rest.matchAll(/;\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^",;\s]+))/g)].map(([, name = '', quoted, bare]) => [
        name.toLowerCase(),
        quoted ?? bare ?? '',
      ]),
    ),
  }));
}

/** Query parameters of a URL; repeated ones are a list. Of a link only these are used, so that credentials go to no other host. */
function queryOf(url: string): NonNullable<ConnectorRequest['query']> {
  const parameters = new URLSearchParams(url.split('#', 1)[0]?.split('?').slice(1).join('?'));
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
}

/**
 * Pages linked by the Link header. Only the query of a link is used, so that credentials are never sent to another host.
 * A link with `results="false"` leads to an empty page.
 */
export const byLink = (items = ''): Pages => ({
  items: itemsAt(items),
  next(response, request) {
    const next = linksIn(response.headers.link ?? '').find(
      ({ parameters }) => parameters.get('rel') === 'next' && parameters.get('results') !== 'false',
    );
    return next === undefined ? null : { ...request, query: queryOf(next.target) };
  },
});

/** Paths of the items and of the cursor of the next page. */
interface CursorPaths {
  readonly items: string;
  readonly cursor: string;
  /** Path of a boolean: unless it is true, there are no more pages. */
  readonly more?: string;
}

/** Pages by cursor. `next` adds the cursor to the request. */
export const byCursorWith = (
  { items, cursor, more }: CursorPaths,
  next: (request: ConnectorRequest, cursor: string) => ConnectorRequest,
): Pages => ({
  items: itemsAt(items),
  next(response, request) {
    const value = bodyAt(response, cursor);
    const ended = more !== undefined && bodyAt(response, more) !== true;
    if (ended || (typeof value !== 'string' && typeof value !== 'number') || value === '') return null;
    return next(request, String(value));
  },
});

/** Pages whose body has a link to the next one. */
export const byBodyLink = (paths: Pick<CursorPaths, 'items'> & { readonly link: string }): Pages =>
  byCursorWith({ items: paths.items, cursor: paths.link }, (request, link) => ({ ...request, query: queryOf(link) }));

/** Pages by cursor, which is a query parameter. */
export const byCursor = ({ parameter, ...paths }: CursorPaths & { readonly parameter: string }): Pages =>
  byCursorWith(paths, (request, cursor) => withQuery(request, { [parameter]: cursor }));

/** Pages by cursor, which is a member of the body. */
export const byBodyCursor = ({ member, ...paths }: CursorPaths & { readonly member: string }): Pages =>
  byCursorWith(paths, (request, cursor) => withMember(request, { [member]: cursor }));

/** Adds members to the body of a request. */
export function withMember(request: ConnectorRequest, members: JsonObject): ConnectorRequest {
  const { body } = request;
  return isObject(body) && !(body instanceof Uint8Array) ? { ...request, body: { ...body, ...members } } : request;
}

const queryNumber = (request: ConnectorRequest, parameter: string, absent: number): number => {
  const value = Number(request.query?.[parameter] ?? absent);
  return Number.isSafeInteger(value) ? value : absent;
};

/** Pages by offset. The last page is not full, or has false at `more`. */
export const byOffset = (paths: { items: string; offset: string; size: string; more?: string }): Pages => ({
  items: itemsAt(paths.items),
  next(response, request) {
    const found = itemsAt(paths.items)(response).length;
    const full = found >= queryNumber(request, paths.size, 1);
    const more = paths.more === undefined ? full : bodyAt(response, paths.more) === true;
    return more && found > 0
      ? withQuery(request, { [paths.offset]: queryNumber(request, paths.offset, 0) + found })
      : null;
  },
});

/** Pages by number. The last page is not full, has the number at `last`, or has true at `ended`. */
export const byPage = (paths: {
  items: string;
  page: string;
  first: number;
  size?: string;
  last?: string;
  ended?: string;
}): Pages => ({
  items: itemsAt(paths.items),
  next(response, request) {
    const { size, last, ended } = paths;
    const page = queryNumber(request, paths.page, paths.first);
    const found = itemsAt(paths.items)(response).length;
    if (found === 0 || (size !== undefined && found < queryNumber(request, size, 1))) return null;
    if (ended !== undefined && bodyAt(response, ended) !== false) return null;
    if (last !== undefined && page >= Number(bodyAt(response, last) ?? 0)) return null;
    return withQuery(request, { [paths.page]: page + 1 });
  },
});
