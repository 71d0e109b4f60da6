import { type Egress, EgressError } from '../../../lib/egress';
import { parseRetryAfter } from '../../../lib/retry-after';
import type { UrlSource } from '../models';
import { IngestFault } from './fault';

/** What an address has answered. `unchanged`: it says that it has what we have. */
export type Fetched =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'content';
      readonly body: Buffer;
      readonly contentType: string | null;
      /** After redirects. */
      readonly url: string;
      readonly etag: string | null;
      readonly lastModified: string | null;
    };

const TIMEOUT_MS = 60_000;
const ACCEPT =
  'text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5';
const MAX_VALIDATOR_CHARS = 1_000;
/** Those that may pass. */
const LATER = new Set([408, 425, 429]);

/** What there is to say about a fetch beside its address. */
interface Fetch {
  /** Whether "nothing has changed" will do, by what the last answer was known by (RFC 9110 section 13). */
  readonly conditional: boolean;
  readonly mostBytes: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Asks an address for its content, by the guarded way out. @throws IngestFault */
export async function fetchContent(
  egress: Pick<Egress, 'request'>,
  source: Pick<UrlSource, 'url' | 'etag' | 'last_modified'>,
  { conditional, mostBytes, now, signal }: Fetch,
): Promise<Fetched> {
  const known = {
    ...(source.etag === null ? {} : { 'if-none-match': source.etag }),
    ...(source.last_modified === null ? {} : { 'if-modified-since': source.last_modified }),
  };
  try {
    const { status, headers, body, url } = await egress.request({
      method: 'GET',
      url: source.url,
      headers: { accept: ACCEPT, ...(conditional ? known : {}) },
      timeoutMs: TIMEOUT_MS,
      maxBytes: mostBytes,
      signal,
    });
    if (status === 304 && conditional) return { kind: 'unchanged' };
    if (status === 200)
      return {
        kind: 'content',
        body,
        contentType: textOf(headers['content-type']),
        url,
        etag: textOf(headers.etag),
        lastModified: textOf(headers['last-modified']),
      };
    const wait = textOf(headers['retry-after']);
    throw new IngestFault('fetch_failed', `The address answered with status ${status}`, {
      retryable: status >= 500 || LATER.has(status),
      retryAfterMs: wait === null ? undefined : (parseRetryAfter(wait, now) ?? undefined),
    });
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    const code = fault.kind === 'blocked' ? 'fetch_blocked' : fault.kind === 'too_large' ? 'too_large' : 'fetch_failed';
    const { retryable, message } = fault;
    throw new IngestFault(code, `The address could not be fetched: ${message}`, { retryable, cause: fault });
  }
}

function textOf(header: string | string[] | undefined): string | null {
  const text = Array.isArray(header) ? header[0] : header;
  return text === undefined || text === '' || text.length > MAX_VALIDATOR_CHARS ? null : text;
}
