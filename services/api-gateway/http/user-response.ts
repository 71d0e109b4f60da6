import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { HOP_BY_HOP } from '../../../lib/hop-by-hop';
import type { WebhookResponse } from '../../executor/contract';
import { sendText } from './answer';

/** Fields that belong to the connection (RFC 9110 section 7.6.1), to this server, or to its whole origin. */
const REFUSED = new Set<string>([
  ...HOP_BY_HOP,
  'proxy-authenticate',
  'proxy-authorization',
  'content-length',
  'content-encoding',
  'accept-ch',
  'alt-svc',
  'date',
  'nel',
  'report-to',
  'reporting-endpoints',
  'set-cookie',
  'strict-transport-security',
  'clear-site-data',
  'service-worker-allowed',
  'content-security-policy',
  'x-content-type-options',
  'x-request-id',
]);

/** Statuses that have no body. */
const BODYLESS = new Set([204, 205, 304]);

/**
 * Sends what a workflow's `webhook_response` step asked for. It is a stranger's content on our origin: a sandbox
 * policy keeps a page in it from acting as ours, and header fields that are not the workflow's to set are left out.
 */
export function sendUserResponse(response: ServerResponse, wanted: WebhookResponse): void {
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
    sendText(response, status, own ?? 'application/json; charset=utf-8', JSON.stringify(wanted.body), headers);
  }
}

/** Header fields with lower-case names, without the refused and the malformed; a list sends its name several times. */
export function safeHeaders(given: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  const safe = new Map<string, string | string[]>();
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    if (REFUSED.has(lower) || !texts.every((text) => isValid(lower, text))) continue;
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
