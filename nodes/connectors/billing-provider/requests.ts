import { type JsonObject, isObject, type Json } from '../../../lib/json';
import type { ConnectorResponse, ConnectorRequest, Pages } from '../contract';
import { byCursor } from '../http/pages';
import { listAt, objectAt, textAt } from '../values';

/** Nested members as the provider's forms have them: `metadata[order]`, `line_items[0][price]`. Null empties a member. */
function bracketed(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).flatMap(([name, value]) => pairs(name, value)));
}

function pairs(name: string, value: Json): [string, Json][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => pairs(`${name}[${index}]`, one));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => pairs(`${name}[${key}]`, one));
  return [[name, value ?? '']];
}

/** Most in a page. */
const PAGE = 100;

export const post = (url: string, members: JsonObject): ConnectorRequest => ({
  method: 'POST',
  url,
  form: true,
  body: bracketed(members),
});

export const page = (url: string, query: ConnectorRequest['query']): ConnectorRequest => ({
  method: 'GET',
  url,
  query: { limit: PAGE, ...query },
});

const more = ({ body }: ConnectorResponse): boolean => objectAt(body).has_more === true;

/** Lists go on behind the id of their last item. */
export const afterLast: Pages = {
  items: ({ body }) => listAt(body, 'data'),
  next(response, request) {
    const last = textAt(response.body, 'data', '-1', 'id');
    if (!more(response) || last === undefined) return null;
    return { ...request, query: { ...request.query, starting_after: last } };
  },
};

/** Search results are paged by the `next_page` of the response. */
export const bySearchCursor: Pages = byCursor({
  items: 'data',
  cursor: 'next_page',
  parameter: 'page',
  more: 'has_more',
});
