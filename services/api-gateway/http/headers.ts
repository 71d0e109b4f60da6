import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'GET, POST, PUT, DELETE, OPTIONS';
const ALLOWED_HEADERS = 'Authorization, Content-Type, X-Request-ID, Last-Event-ID, Idempotency-Key, X-API-Key';
const EXPOSED_HEADERS =
  'X-Request-ID, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Idempotent-Replayed, Content-Disposition, Content-Range, Accept-Ranges, ETag';
const PREFLIGHT_SECONDS = '600';

/** Sets what every answer carries, errors included: request id, CORS (fetch.spec.whatwg.org), no sniffing, no caching. */
export function setCommonHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  origins: readonly string[] | '*',
): void {
  response.setHeader('X-Request-ID', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  if (origins !== '*') {
    response.setHeader('Vary', 'Origin');
    // Whole origins are compared; a foreign one gets no header, and its browser refuses to show it the answer.
    if (request.headers.origin === undefined || !origins.includes(request.headers.origin)) return;
  }
  response.setHeader('Access-Control-Allow-Origin', origins === '*' ? '*' : (request.headers.origin as string));
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Answers OPTIONS, preflight or not. Unknown paths too, so that a browser gets to see their 404. */
export function answerOptions(response: ServerResponse, allow: readonly string[]): void {
  if (allow.length > 0) response.setHeader('Allow', [...allow, 'OPTIONS'].join(', '));
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  response.writeHead(204).end();
}
