import { type Api, type Call, CALLS } from './api.ts';
import { EverstepError, faultOf } from './error.ts';
import { pauseBefore, pauseMs, type RetryPolicy, sleep, wantsRetry } from './retry.ts';

/** An event of a stream. `id` is its place, by which a stream goes on; `data` is the record that it carries. */
export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

/** Whom to ask, and as whom. */
export interface ClientOptions {
  /** Where the installation is, such as `https://flows.example.com`. */
  readonly baseUrl: string;
  /** An access token, an API key, or a function that gives one for each request; absent: public operations alone. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often, and for how long, what may be repeated is tried again. */
  readonly retry?: Partial<RetryPolicy>;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

/** Of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Beside those of the client, and over them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Made by the client for every operation that takes one, so that a repetition does nothing twice. */
  readonly idempotencyKey?: string;
  /** Other than the client's. */
  readonly token?: string;
}

type Given = Readonly<Record<string, unknown>>;

/** Every operation of an installation, by service: `client.workflows.create({ body: { name, dsl } })`. */
export type Client = Api;

/** A client without state of its own: a token, and how to ask. */
export function createClient(options: ClientOptions): Client {
  const caller = new Caller(options);
  return new Proxy({} as Client, {
    get: (_target, service) =>
      // A client that is awaited, or printed, is asked for names that are no services.
      typeof service === 'symbol' || service === 'then' ? undefined : serviceOf(service, caller),
  });
}

const serviceOf = (service: string, caller: Caller): object =>
  new Proxy(
    {},
    {
      get: (_target, name) => {
        const call = typeof name === 'symbol' ? undefined : ownCall(`${service}.${name}`);
        if (call === undefined) return undefined;
        return (given: Given = {}, options: CallOptions = {}) =>
          call.answers === 'events' ? caller.follow(call, given, options) : caller.ask(call, given, options);
      },
    },
  );

const ownCall = (name: string): Call | undefined => (Object.hasOwn(CALLS, name) ? CALLS[name] : undefined);

const RETRY: RetryPolicy = { attempts: 4, firstMs: 250, longestMs: 30_000 };

class Caller {
  readonly #options: ClientOptions;
  readonly #retry: RetryPolicy;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#retry = { ...RETRY, ...options.retry };
  }

  /** @throws EverstepError for every answer that is none of success, and for one that could not be had */
  async ask(call: Call, given: Given, options: CallOptions): Promise<unknown> {
    const response = await this.#send(call, given, options);
    switch (call.answers) {
      case 'response':
        return response;
      case 'text':
        return response.text();
      case 'nothing':
        await response.body?.cancel();
        return undefined;
      default: {
        const text = await response.text();
        // A workflow may answer a webhook in any type.
        const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
        return text === '' ? undefined : isJson ? JSON.parse(text) : text;
      }
    }
  }

  /**
   * The events of a run until its end, over as many connections as that takes: each continues behind the last event.
   * Connections without an event are followed by longer and longer pauses.
   * @throws EverstepError for a refusal, and when as many connections as `retry.attempts` in a row have brought nothing
   */
  async *follow(call: Call, given: Given, options: CallOptions): AsyncGenerator<ServerEvent> {
    // Loaded with the first stream: a page in a browser shows itself before it follows anything.
    const { eventsOf } = await import('./events.ts');
    let last = given['Last-Event-ID'];
    let silent = 0;
    let empty = 0;
    for (;;) {
      const from = last === undefined ? given : { ...given, 'Last-Event-ID': last };
      const response = await this.#send(call, from, options);
      // No content: there is nothing after the last event.
      if (response.status === 204 || response.body === null) return;
      silent += 1;
      empty += 1;
      for await (const piece of eventsOf(response.body)) {
        empty = 0;
        if (piece === null) continue;
        silent = 0;
        if (piece.id !== null) last = piece.id;
        yield piece;
        if (piece.event === 'end') return;
      }
      if (empty >= this.#retry.attempts) throw EverstepError.emptyStreams(response.url, empty);
      await sleep(pauseMs(Math.max(silent, 1), this.#retry), options.signal);
    }
  }

  async #send(call: Call, given: Given, options: CallOptions): Promise<Response> {
    const { baseUrl, fetch: own = fetch } = this.#options;
    const url = urlOf(baseUrl, call, given);
    const request = await this.#requestOf(call, given, options);
    const repeatable = call.method === 'GET' || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt++) {
      const outcome = await own(url, request).catch((cause: unknown) => {
        if (options.signal?.aborted === true) throw cause;
        return EverstepError.unreachable(url, cause);
      });
      if (outcome instanceof Response && outcome.ok) return outcome;
      const fault = outcome instanceof Response ? await faultOf(outcome) : outcome;
      const goesOn = options.signal?.aborted !== true && attempt < this.#retry.attempts;
      if (!goesOn || !wantsRetry(fault, repeatable)) throw fault;
      await sleep(pauseBefore(attempt, fault, this.#retry), options.signal);
    }
  }

  async #requestOf(call: Call, given: Given, options: CallOptions): Promise<RequestInit & { headers: Headers }> {
    const headers = new Headers();
    const token = options.token ?? this.#options.token;
    const credential = typeof token === 'function' ? await token() : token;
    if (credential !== undefined && credential !== '') headers.set('authorization', `Bearer ${credential}`);
    for (const name of call.headers ?? []) if (given[name] !== undefined) headers.set(name, String(given[name]));
    if (call.answers === 'events') headers.set('accept', 'text/event-stream');
    if (call.idempotent === true) headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
    const body = bodyOf(call, given.body);
    if (typeof body === 'string') headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    return {
      method: call.method,
      headers,
      // A redirect is no answer of an operation, and must not take the credential elsewhere.
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
  }
}

/** @throws TypeError for a variable of the path that is missing */
function urlOf(baseUrl: string, { path, query }: Call, given: Given): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = given[name];
    if (value === undefined || value === null || value === '') throw new TypeError(`'${name}' is missing: ${path}`);
    // The last variable of a download is a path of its own.
    return String(value)
      .split('/')
      .map(encodeURIComponent)
      .join(path.endsWith(`/files/{${name}}`) ? '/' : '%2F');
  });
  const search = new URLSearchParams(
    (query ?? []).flatMap((name) =>
      given[name] === undefined || given[name] === null ? [] : [[name, String(given[name])]],
    ),
  ).toString();
  return `${baseUrl.replace(/\/+$/, '')}${filled}${search === '' ? '' : `?${search}`}`;
}

function bodyOf({ body }: Call, given: unknown): string | FormData | undefined {
  if (body === null || given === undefined) return undefined;
  if (body === 'json') return JSON.stringify(given);
  const form = new FormData();
  // The server takes the fields that come before the file and those after it alike.
  for (const [name, value] of Object.entries(given as Record<string, string | Blob | undefined>)) {
    if (value !== undefined) form.set(name, value);
  }
  return form;
}
