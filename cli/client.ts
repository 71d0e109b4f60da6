import { isObject, type JsonObject } from '../lib/json';
import { CliError, type Detail, type ExitName } from './exits';
import { readEvents, type ServerEvent, type StreamEnd } from './events';

/** Maximum time until a response begins; the server's own timeout is shorter (REQUEST_TIMEOUT). */
const ANSWER_MS = 90_000;
/** A stream without data for this long is dead: the server sends a comment every 15 s. */
const SILENCE_MS = 45_000;

/** Maximum response size, in characters: above any response of the API. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** API client of one server with one credential. Redirects are rejected: they could send the credential elsewhere. */
export class Client {
  constructor(
    readonly url: string,
    private readonly credential: string | null,
    private readonly signal: AbortSignal,
  ) {}

  /** The body of the response, an object in all of the API. @throws CliError for anything but 2xx */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<JsonObject> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MS)]);
    return this.#resultOf(await this.#send(method, path, { body, headers, signal }));
  }

  /** Sends a form with a file. @throws CliError for anything but 2xx */
  async upload(path: string, form: FormData): Promise<JsonObject> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MS)]);
    return this.#resultOf(await this.#send('POST', path, { body: form, headers: {}, signal }));
  }

  async #resultOf(response: Response): Promise<JsonObject> {
    const text = await this.#textOf(response);
    const value = parsed(text);
    if (!response.ok) throw refusal(response.status, value);
    if (response.status === 204) return {};
    if (isObject(value)) return value as JsonObject;
    throw this.foreign();
  }

  /** The error for a response that Everstep did not send: the address is wrong, or a proxy answered. */
  foreign(cause?: unknown): CliError {
    return new CliError('refused', `${this.url} is not an Everstep server; check the address`, { cause });
  }

  async #textOf({ body }: Response): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const piece of body ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (text.length > MAX_RESPONSE_BYTES) throw this.foreign();
      }
      return text + decoder.decode();
    } catch (cause) {
      throw cause instanceof CliError ? cause : this.#unreachable(cause);
    }
  }

  /** All pages of a list with `cursor` or `offset`, up to `max` rows; `member`: what has the rows. */
  async list(path: string, max: number, member = 'data'): Promise<JsonObject[]> {
    const rows: JsonObject[] = [];
    let next = '';
    while (rows.length < max) {
      const limit = Math.min(200, max - rows.length);
      const page = await this.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`);
      const found = page[member];
      const data = Array.isArray(found) ? found.filter(isObject) : [];
      rows.push(...(data as JsonObject[]));
      const cursor = page.next_cursor;
      // A page of large rows may be shorter than asked for.
      if (cursor === null || (cursor === undefined && data.length < limit)) break;
      next = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : `&offset=${rows.length}`;
    }
    return rows;
  }

  /**
   * Reads the events of a stream after `after`. Returns when the connection is cut.
   * @throws CliError when the server refuses or is unreachable
   */
  async stream(path: string, after: string | null, tell: (event: ServerEvent) => void): Promise<StreamEnd> {
    const silence = new AbortController();
    const signal = AbortSignal.any([this.signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const onData = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    try {
      const headers = { accept: 'text/event-stream', ...(after === null ? {} : { 'last-event-id': after }) };
      const response = await this.#send('GET', path, { headers, signal });
      if (response.status === 204) return 'finished';
      if (!response.ok) throw refusal(response.status, parsed(await this.#textOf(response)));
      return await readEvents(response, tell, onData);
    } catch (fault) {
      throw fault instanceof RangeError ? this.foreign(fault) : fault;
    } finally {
      clearTimeout(timer);
    }
  }

  async #send(
    method: string,
    path: string,
    { body, headers, signal }: { body?: unknown; headers: Record<string, string>; signal: AbortSignal },
  ): Promise<Response> {
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        redirect: 'manual',
        signal,
        headers: {
          ...(this.credential === null ? {} : { authorization: `Bearer ${this.credential}` }),
          ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
      if (response.status < 300 || response.status >= 400) return response;
      throw new CliError('refused', `${this.url} redirects; use the address it redirects to`);
    } catch (cause) {
      throw cause instanceof CliError ? cause : this.#unreachable(cause);
    }
  }

  #unreachable(cause: unknown): CliError {
    if (this.signal.aborted) return new CliError('interrupted', 'interrupted', { cause });
    return new CliError('unreachable', `${this.url} cannot be reached: ${reasonOf(cause)}`, { cause });
  }
}

/** The cause of a network error, without fetch's wrapping. */
function reasonOf(cause: unknown): string {
  const { name, message, cause: inner } = isObject(cause) ? cause : {};
  if (name === 'TimeoutError') return 'timeout';
  const { code, message: innerMessage } = isObject(inner) ? inner : {};
  return String(code ?? innerMessage ?? message ?? cause);
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (fault) {
    // The response comes from something else, probably a proxy; only its status is known.
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

function refusal(status: number, body: unknown): CliError {
  const { error, code, details } = isObject(body) ? body : {};
  const message = typeof error === 'string' ? error : `the server answered ${status}`;
  return new CliError(exitOf(status, code), message, {
    ...(typeof code === 'string' ? { code } : {}),
    ...(isObject(body) ? { body: body as JsonObject } : {}),
    ...(Array.isArray(details) ? { details: details.filter(isDetail) } : {}),
  });
}

const exitOf = (status: number, code: unknown): ExitName => {
  if (status === 401) return 'signed_out';
  if (status === 404) return 'not_found';
  // 500 keeps its own message: a retry may or may not help.
  return status >= 500 || status === 429 || code === 'idempotency_in_progress' ? 'unreachable' : 'refused';
};

const isDetail = (value: unknown): value is Detail =>
  isObject(value) &&
  typeof value.path === 'string' &&
  typeof value.message === 'string' &&
  (value.hint === undefined || typeof value.hint === 'string');
