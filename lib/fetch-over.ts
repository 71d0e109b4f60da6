import { EgressError } from './egress';

/** The way out that `fetch` is made of: what the guarded client, and what nodes are lent of it, have in common. */
export interface PlainHttp {
  request(request: {
    method: string;
    url: string;
    headers?: Record<string, string>;
    body?: string;
    timeoutMs?: number;
    maxBytes?: number;
    maxRedirects?: number;
    signal?: AbortSignal;
  }): Promise<{ status: number; headers: Record<string, string | string[]>; body: Buffer }>;
}

/** A request as a library hands it to `fetch`, and its answer instead of sending it, if there is one. */
export type Intercept = (method: string, headers: Headers) => Response | undefined;

/** Long answers take minutes. A step's own timeout ends the request earlier. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** Statuses whose answers have no body, and for which Response takes none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` for libraries that speak a protocol over HTTP, by the guarded way out. Answers come whole, 10 MiB at most.
 * Redirects are not followed, so that a key goes nowhere else. Rejects with EgressError, as the way out does.
 */
export function fetchOver(http: PlainHttp, intercept: Intercept = () => undefined): typeof fetch {
  return async (input, init = {}) => {
    const { body, method = 'GET', signal } = init;
    if (input instanceof Request || (body !== undefined && body !== null && typeof body !== 'string')) {
      throw new TypeError('Only requests with a text, to an address that is a text, are taken');
    }
    if (signal?.aborted) throw new EgressError('aborted', 'the request was aborted');
    const headers = new Headers(init.headers);
    const instead = intercept(method, headers);
    if (instead !== undefined) return instead;
    const answer = await http.request({
      method,
      url: String(input),
      headers: Object.fromEntries(headers),
      ...(body ? { body } : {}),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      ...(signal ? { signal } : {}),
    });
    const pairs = Object.entries(answer.headers)
      // The body was unpacked, and its length is its own.
      .filter(([name]) => name !== 'content-encoding' && name !== 'content-length')
      .map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(', ') : value]);
    return new Response(BODILESS.has(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: pairs,
    });
  };
}
