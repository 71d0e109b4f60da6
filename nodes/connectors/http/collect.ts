import type { Json } from '../../../lib/json';
import type { Outcome } from '../../contract';
import { done, failFinally } from '../../outcome';
import type { ConnectorAnswer, ConnectorRequest, Pages, Send } from '../contract';

/** What is asked for where a step does not say how much. */
export const DEFAULT_LIMIT = 100;
export const MAX_ITEMS = 10_000;
const MAX_PAGES = 100;
/** Of all pages together: they are held until the last one is there. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Where pages are asked for. */
interface Asking {
  readonly send: Send;
  /** @throws Unusable */
  readonly originOf: (request: ConnectorRequest) => string;
}

/** Items of all pages up to `limit`; `more` says that there are others. @throws Unusable */
export async function collect(
  pages: Pages,
  first: ConnectorRequest,
  limit: number,
  { send, originOf }: Asking,
): Promise<Outcome> {
  const items: Json[] = [];
  const origin = originOf(first);
  let bytes = 0;
  let request: ConnectorRequest | null = first;
  for (let count = 0; request !== null && count < MAX_PAGES && items.length < limit; count += 1) {
    if (originOf(request) !== origin)
      return failFinally('redirected', 'the next page is at another host, and credentials are not sent there');
    const sent = await send(request);
    if (sent.kind === 'failed') return sent.outcome;
    bytes += sent.answer.bytes.length;
    if (bytes > MAX_BYTES)
      return failFinally('too_large', `the pages have more than ${MAX_BYTES} bytes together; ask for fewer items`);
    const found = itemsOf(pages, sent.answer);
    if (found === null) return failFinally('invalid_response', 'the answer holds no list where one should be');
    for (const item of found) items.push(item);
    request = nextOf(pages, sent.answer, request);
  }
  const kept = items.slice(0, limit);
  return done({ items: kept, count: kept.length, more: request !== null || items.length > limit });
}

function itemsOf(pages: Pages, answer: ConnectorAnswer): readonly Json[] | null {
  const found: unknown = pages.items(answer);
  return Array.isArray(found) ? (found as Json[]) : null;
}

/** The request of the next page; a provider that names the same page again has no other. */
function nextOf(pages: Pages, answer: ConnectorAnswer, request: ConnectorRequest): ConnectorRequest | null {
  const next = pages.next(answer, request);
  return next === null || JSON.stringify(next) === JSON.stringify(request) ? null : next;
}
