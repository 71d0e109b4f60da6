import { type Egress, EgressError } from '../../../lib/egress';
import { parseRetryAfter } from '../../../lib/retry-after';
import type { UrlSource } from '../models';
import { IngestError } from './ingest-error';

/** Response of a URL. `unchanged`: the server answered 304. */
export type FetchResult =
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
/** Besides 5xx. */
const RETRYABLE_STATUS = new Set([408, 425, 429]);

/** Options of a fetch. */
interface FetchOptions {
  /** Sends the validators of the last response (RFC 9110 section 13). */
  readonly conditional: boolean;
  readonly maxBytes: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Fetches a URL through the egress guard. @throws IngestError */
export async function fetchContent(
  egress: Pick<Egress, 'request'>,
  source: Pick<UrlSource, 'url' | 'etag' | 'last_modified'>,
  { conditional, maxBytes, now, signal }: FetchOptions,
): Promise<FetchResult> {
  const validators = {
    ...(source.etag === null ? {} : { 'if-none-match': source.etag }),
    ...(source.last_modified === null ? {} : { 'if-modified-since': source.last_modified }),
  };
  try {
    const { status, headers, body, url } = await egress.request({
      method: 'GET',
      url: source.url,
      headers: { accept: ACCEPT, ...(conditional ? validators : {}) },
      timeoutMs: TIMEOUT_MS,
      maxBytes,
      signal,
    });
    if (status === 304 && conditional) return { kind: 'unchanged' };
    if (status === 200)
      return {
        kind: 'content',
        body,
        contentType: headerText(headers['content-type']),
        url,
        etag: headerText(headers.etag),
        lastModified: headerText(headers['last-modified']),
      };
    const wait = headerText(headers['retry-after']);
    throw new IngestError('fetch_failed', `The address answered with status ${status}`, {
      retryable: status >= 500 || RETRYABLE_STATUS.has(status),
      retryAfterMs: wait === null ? undefined : (parseRetryAfter(wait, now) ?? undefined),
    });
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    const code = fault.kind === 'blocked' ? 'fetch_blocked' : fault.kind === 'too_large' ? 'too_large' : 'fetch_failed';
    const { retryable, message } = fault;
    throw new IngestError(code, `The address could not be fetched: ${message}`, { retryable, cause: fault });
  }
}

function headerText(header: string | string[] | undefined): string | null {
  const text = Array.isArray(header) ? header[0] : header;
  return text === undefined || text === '' || text.length > MAX_VALIDATOR_CHARS ? null : text;
}
