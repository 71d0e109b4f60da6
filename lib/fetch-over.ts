import { EgressError, type OnPart } from './egress';

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
    onPart?: OnPart;
  }): Promise<{ status: number; headers: Record<string, string | string[]>; body: Buffer }>;
}

/** A request as a library hands it to `fetch`, and its answer instead of sending it, if there is one. */
export type Intercept = (method: string, headers: Headers) => Response | undefined;

/** Long answers take minutes. A step's own timeout ends the request earlier. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** Statuses whose answers have no body, and for which Response takes none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** What a way out for `fetch` does beside sending. */
export interface FetchOptions {
  readonly intercept?: Intercept;
  /** Hands a success on as soon as it begins; its body comes as it comes. */
  readonly streams?: boolean;
}

/**
 * `fetch` for libraries that speak a protocol over HTTP, by the guarded way out. Answers are 10 MiB at most, and come
 * whole unless they are streamed. Redirects are not followed, so that a key goes nowhere else. Rejects with EgressError,
 * as the way out does; so does the body of an answer that breaks off.
 */
export function fetchOver(http: PlainHttp, { intercept, streams = false }: FetchOptions = {}): typeof fetch {
  return async (input, init = {}) => {
    const { body, method = 'GET', signal } = init;
    if (input instanceof Request || (body !== undefined && body !== null && typeof body !== 'string')) {
      throw new TypeError('Only requests with a text, to an address that is a text, are taken');
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

/** Sends the request; a signal takes the place of the caller's. */
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
      // The body was unpacked, and its length is its own.
      .filter(([name]) => name !== 'content-encoding' && name !== 'content-length')
      .map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(', ') : value]),
  });

/**
 * Resolves with the first part of the answer, or with all of one that is not shown in parts. Who reads no further ends the
 * request.
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
