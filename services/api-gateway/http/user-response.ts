import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import type { WebhookResponse } from '../../../contracts/executions/views';
import { sendJson, sendText } from './answer';

/** Fields that a workflow may set, beside fields of its own, which begin with `x-`. */
const ALLOWED = new Set<string>([
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'vary',
]);

/**
 * What an `x-` field begins with when a proxy or a browser acts on it: it would read files of the proxy, send the request
 * elsewhere, or change what this server says of its own answers.
 */
const REFUSED_PREFIXES = [
  'x-accel-',
  'x-archive-',
  'x-content-',
  'x-dns-prefetch-',
  'x-envoy-',
  'x-forwarded-',
  'x-frame-',
  'x-http-',
  'x-lighttpd-',
  'x-litespeed-',
  'x-middleware-',
  'x-original-',
  'x-permitted-',
  'x-proxy-',
  'x-real-ip',
  'x-reproxy-',
  'x-request-id',
  'x-rewrite-',
  'x-sendfile',
  'x-ua-compatible',
  'x-webkit-',
  'x-xss-',
] as const;

const isAllowed = (name: string): boolean =>
  ALLOWED.has(name) || (name.startsWith('x-') && !REFUSED_PREFIXES.some((prefix) => name.startsWith(prefix)));

/** Statuses that have no body. */
const BODYLESS = new Set([204, 205, 304]);

/**
 * Sends what a workflow's `webhook_response` step asked for. It is user content on our origin: a sandbox
 * policy keeps a page in it from acting as ours, and header fields that are not the workflow's to set are left out.
 */
export async function sendUserResponse(response: ServerResponse, wanted: WebhookResponse): Promise<void> {
  const headers = safeHeaders(wanted.headers);
  const [own] = [headers['content-type']].flat();
  delete headers['content-type'];
  headers['content-security-policy'] = 'sandbox';
  const status = Number.isInteger(wanted.status) && wanted.status >= 200 && wanted.status <= 599 ? wanted.status : 200;
  if (wanted.body === null || BODYLESS.has(status)) {
    response.writeHead(status, headers).end();
  } else if (typeof wanted.body === 'string') {
    sendText(response, status, own ?? 'text/plain; charset=utf-8', wanted.body, headers);
  } else {
    await sendJson(response, status, own ?? 'application/json; charset=utf-8', wanted.body, headers);
  }
}

/** The allowed and well-formed header fields with lower-case names; a list sends its name several times. */
export function safeHeaders(given: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  const safe = new Map<string, string | string[]>();
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    if (!isAllowed(lower) || !texts.every((text) => isValid(lower, text))) continue;
    safe.set(lower, Array.isArray(value) ? texts : (texts[0] as string));
  }
  return Object.fromEntries(safe);
}

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    // Both throw for nothing else: a line break or a stray character.
    return false;
  }
}
