import { parseTarget, type Target } from './target';

/** A request. Header names are lower case. */
export interface Hop {
  readonly method: string;
  readonly target: Target;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Uint8Array | null;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers kept on a redirect to another origin. An allow list, since any other header may hold a credential. */
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
 * The request after a redirect, or null when the response is final (Fetch standard, HTTP-redirect fetch). Another
 * origin gets no headers that could be credentials. Throws EgressError `protocol` for an invalid location.
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
