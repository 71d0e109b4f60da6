import type { Json } from '../../../lib/json';
import type { Outcome } from '../../contract';
import { done, failFinally } from '../../outcome';
import type { ConnectorResponse, ConnectorRequest, Pages, Send } from '../contract';

/** Number of items if the step has no `limit`. */
export const DEFAULT_LIMIT = 100;
export const MAX_ITEMS = 10_000;
const MAX_PAGES = 100;
/** Of all pages together, as they are held in memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Requests of pages. */
interface PageRequests {
  readonly send: Send;
  /** @throws InvalidInputError */
  readonly originOf: (request: ConnectorRequest) => string;
}

/** Items of all pages up to `limit`; `more` is true if there are others. @throws InvalidInputError */
export async function collect(
  pages: Pages,
  first: ConnectorRequest,
  limit: number,
  { send, originOf }: PageRequests,
): Promise<Outcome> {
  const items: Json[] = [];
  const origin = originOf(first);
  let bytes = 0;
  let request: ConnectorRequest | null = first;
  for (let count = 0; request !== null && count < MAX_PAGES && items.length < limit; count += 1) {
    if (originOf(request) !== origin)
      return failFinally('redirected', 'the next page is at another host, to which credentials are not sent');
    const sent = await send(request);
    if (sent.kind === 'failed') return sent.outcome;
    bytes += sent.response.bytes.length;
    if (bytes > MAX_BYTES)
      return failFinally('too_large', `the pages have more than ${MAX_BYTES} bytes together; use a lower limit`);
    const found = itemsOf(pages, sent.response);
    if (found === null) return failFinally('invalid_response', 'the response has no list of items');
    for (const item of found) items.push(item);
    request = nextRequest(pages, sent.response, request);
  }
  const kept = items.slice(0, limit);
  return done({ items: kept, count: kept.length, more: request !== null || items.length > limit });
}

function itemsOf(pages: Pages, response: ConnectorResponse): readonly Json[] | null {
  const found: unknown = pages.items(response);
  return Array.isArray(found) ? (found as Json[]) : null;
}

/** The request of the next page; null if the provider names the same page again. */
function nextRequest(pages: Pages, response: ConnectorResponse, request: ConnectorRequest): ConnectorRequest | null {
  const next = pages.next(response, request);
  return next === null || JSON.stringify(next) === JSON.stringify(request) ? null : next;
}
