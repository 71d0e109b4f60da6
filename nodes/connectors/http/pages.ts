import { parseFieldPath, valueAt } from '../../../lib/field-path';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { ConnectorAnswer, ConnectorRequest, Pages } from '../contract';

/** The value at a path such as `paging.next.after`; the whole for an empty one. */
export const bodyAt = ({ body }: ConnectorAnswer, path: string): Json | undefined =>
  valueAt(body, path === '' ? [] : (parseFieldPath(path) ?? []));

const itemsAt =
  (path: string): Pages['items'] =>
  (answer) => {
    const found = bodyAt(answer, path);
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

/** The parameters of the text behind the question mark; several of one name are a list. */
function queryOf(url: string): NonNullable<ConnectorRequest['query']> {
  const parameters = new URLSearchParams(url.split('#', 1)[0]?.split('?').slice(1).join('?'));
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
}

/**
 * Pages that follow each other by the Link header. Of the link only the query counts, so that no answer can lead
 * credentials elsewhere. A link that says `results="false"` leads to an empty page.
 */
export const byLink = (items = ''): Pages => ({
  items: itemsAt(items),
  next(answer, request) {
    const next = linksIn(answer.headers.link ?? '').find(
      ({ parameters }) => parameters.get('rel') === 'next' && parameters.get('results') !== 'false',
    );
    return next === undefined ? null : { ...request, query: queryOf(next.target) };
  },
});

/** Where the mark of the next page is. */
interface MarkWords {
  readonly items: string;
  readonly cursor: string;
  /** Where this says that there is no more, the mark does not count. */
  readonly more?: string;
}

/** Pages that follow each other by a mark of the provider's, with the request that it goes into. */
export const byMark = (
  { items, cursor, more }: MarkWords,
  next: (request: ConnectorRequest, mark: string) => ConnectorRequest,
): Pages => ({
  items: itemsAt(items),
  next(answer, request) {
    const mark = bodyAt(answer, cursor);
    const ended = more !== undefined && bodyAt(answer, more) !== true;
    if (ended || (typeof mark !== 'string' && typeof mark !== 'number') || mark === '') return null;
    return next(request, String(mark));
  },
});

/** The same, with the mark as a parameter of the query. */
export const byCursor = ({ parameter, ...words }: MarkWords & { readonly parameter: string }): Pages =>
  byMark(words, (request, mark) => withQuery(request, { [parameter]: mark }));

/** The same, with the mark as a member of the body. */
export const byBody = ({ member, ...words }: MarkWords & { readonly member: string }): Pages =>
  byMark(words, (request, mark) => withMember(request, { [member]: mark }));

/** The same request with these members in its body. */
export function withMember(request: ConnectorRequest, members: JsonObject): ConnectorRequest {
  const { body } = request;
  return isObject(body) && !(body instanceof Uint8Array) ? { ...request, body: { ...body, ...members } } : request;
}

const asked = (request: ConnectorRequest, parameter: string, absent: number): number => {
  const value = Number(request.query?.[parameter] ?? absent);
  return Number.isSafeInteger(value) ? value : absent;
};

/** Pages by the number of items before them. The last is one that is not full, or where `more` is false. */
export const byOffset = (words: { items: string; offset: string; size: string; more?: string }): Pages => ({
  items: itemsAt(words.items),
  next(answer, request) {
    const found = itemsAt(words.items)(answer).length;
    const full = found >= asked(request, words.size, 1);
    const more = words.more === undefined ? full : bodyAt(answer, words.more) === true;
    return more && found > 0 ? withQuery(request, { [words.offset]: asked(request, words.offset, 0) + found }) : null;
  },
});

/** Pages by their number. The last is one that is not full, has the number at `last`, or where `ended` is true. */
export const byPage = (words: {
  items: string;
  page: string;
  first: number;
  size?: string;
  last?: string;
  ended?: string;
}): Pages => ({
  items: itemsAt(words.items),
  next(answer, request) {
    const { size, last, ended } = words;
    const page = asked(request, words.page, words.first);
    const found = itemsAt(words.items)(answer).length;
    if (found === 0 || (size !== undefined && found < asked(request, size, 1))) return null;
    if (ended !== undefined && bodyAt(answer, ended) !== false) return null;
    if (last !== undefined && page >= Number(bodyAt(answer, last) ?? 0)) return null;
    return withQuery(request, { [words.page]: page + 1 });
  },
});
