import { EgressError } from '../egress';
import type { LlmHttp } from './types';

/** Long answers take minutes. A step's own timeout ends the request earlier. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** Statuses whose answers have no body, and for which Response takes none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Where the providers' libraries put keys. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

/**
 * `fetch` for a provider's library, over the guarded way out. Redirects are not followed, so that a key goes nowhere
 * else. `keyless`: the headers of keys are left out, since the library had to be given a key that is none.
 */
export function fetchOver(http: LlmHttp, keyless: boolean): typeof fetch {
  return async (input, init = {}) => {
    const { body } = init;
    if (typeof input !== 'string' || (body !== undefined && body !== null && typeof body !== 'string')) {
      throw new TypeError('Only requests with a text, to an address that is a text, are taken');
    }
    if (init.signal?.aborted) throw new EgressError('aborted', 'the request was aborted');
    const headers = new Headers(init.headers);
    if (keyless) for (const name of KEY_HEADERS) headers.delete(name);
    const answer = await http.request({
      method: init.method ?? 'GET',
      url: input,
      headers: Object.fromEntries(headers),
      ...(body ? { body } : {}),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      ...(init.signal ? { signal: init.signal } : {}),
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
