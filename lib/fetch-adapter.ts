import { EgressError, type OnPart } from './egress';

/** The request function that both the egress client and the HTTP capability of nodes provide. */
export interface HttpTransport {
  request(request: {
    method: string;
    url: string;
    headers?: Record<string, string>;
    body?: string;
    timeoutMs?: number;
    maxBytes?: number;
    maxRedirects?: number;
    signal?: AbortSignal;
    onPart?: OnPart;
  }): Promise<{ status: number; headers: Record<string, string | string[]>; body: Buffer }>;
}

/** Sees a request before it is sent; may return a response instead. */
type Intercept = (method: string, headers: Headers) => Response | undefined;

/** Long responses take minutes. A step's own timeout ends the request earlier. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** Statuses without a body, for which Response accepts none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Options of a `fetch` adapter. */
interface FetchOptions {
  readonly intercept?: Intercept;
  /** Returns a response as soon as its body begins, and streams the body. */
  readonly streams?: boolean;
}

/**
 * Implements `fetch` with the egress client, for libraries that use protocols over HTTP. Responses are limited to 10
 * MiB and buffered unless they are streamed. Redirects are not followed, so that API keys are sent to no other host.
 * Rejects with EgressError, also in the body of an interrupted response.
 */
export function fetchAdapter(http: HttpTransport, { intercept, streams = false }: FetchOptions = {}): typeof fetch {
  return async (input, init = {}) => {
    const { body, method = 'GET', signal } = init;
    if (input instanceof Request || (body !== undefined && body !== null && typeof body !== 'string')) {
      throw new TypeError('fetch: only string URLs and string bodies are supported');
    }
    if (signal?.aborted) throw new EgressError('aborted', 'the request was aborted');
    const headers = new Headers(init.headers);
    const instead = intercept?.(method, headers);
    if (instead !== undefined) return instead;
    const send: Send = (onPart, ended = signal ?? undefined) =>
      http.request({
        method,
        url: String(input),
        headers: Object.fromEntries(headers),
        ...(body ? { body } : {}),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        maxRedirects: 0,
        ...(ended ? { signal: ended } : {}),
        ...(onPart ? { onPart } : {}),
      });
    if (streams) return streamed(send, signal ?? undefined);
    const answer = await send();
    return responseOf(answer, new Uint8Array(answer.body));
  };
}

/** Sends the request; a given signal replaces the caller's. */
type Send = (onPart?: OnPart, signal?: AbortSignal) => Promise<Answer & { body: Buffer }>;

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
}

const responseOf = (
  { status, headers }: Answer,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response =>
  new Response(BODILESS.has(status) ? null : body, {
    status,
    headers: Object.entries(headers)
      // The body is already decoded, so its encoding and length no longer apply.
      .filter(([name]) => name !== 'content-encoding' && name !== 'content-length')
      .map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(', ') : value]),
  });

/**
 * Resolves with the first part of the response, or with the whole response if it has no parts. Cancelling the body
 * aborts the request.
 */
function streamed(send: Send, signal: AbortSignal | undefined): Promise<Response> {
  const stop = new AbortController();
  const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  return new Promise((resolve, reject) => {
    let parts: ReadableStreamDefaultController<Uint8Array> | null = null;
    let given = false;
    const onPart: OnPart = (head, part) => {
      if (!given) {
        given = true;
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => void (parts = controller),
          cancel: () => {
            parts = null;
            stop.abort();
          },
        });
        resolve(responseOf(head, body));
      }
      parts?.enqueue(new Uint8Array(part));
    };
    send(onPart, ended).then(
      (answer) => (given ? parts?.close() : resolve(responseOf(answer, new Uint8Array(answer.body)))),
      (fault: unknown) => {
        if (!given) return reject(fault);
        parts?.error(fault);
        parts = null;
      },
    );
  });
}
