import { parseTarget, type Target } from './target';

/** One request on the wire. Header names are lower case. */
export interface Hop {
  readonly method: string;
  readonly target: Target;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Uint8Array | null;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What may follow to another origin. A list of what is harmless, for no list knows every header that holds a key. */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-language',
  'content-type',
  'content-encoding',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'range',
  'user-agent',
]);

/**
 * The request that an answer asks for instead, or null when the answer is final (Fetch standard, HTTP-redirect fetch).
 * A new origin gets none of the headers that could be credentials. Throws EgressError `protocol` for a bad location.
 */
export function nextHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | null {
  if (!REDIRECTS.has(status) || typeof location !== 'string') return null;
  const target = parseTarget(location, hop.target.url);
  const becomesGet =
    status === 303 ? hop.method !== 'GET' && hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  const sameOrigin = target.origin === hop.target.origin;
  const headers = [...hop.headers].filter(
    ([name]) =>
      (sameOrigin || HARMLESS.has(name)) &&
      !(becomesGet && (name.startsWith('content-') || name === 'idempotency-key')),
  );
  return {
    method: becomesGet ? 'GET' : hop.method,
    target,
    headers: new Map(headers),
    body: becomesGet ? null : hop.body,
  };
}
