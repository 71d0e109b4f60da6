import type { Clock } from '../clock';
import { errorMessage } from '../errors';
import { parseRetryAfter } from '../retry-after';
import { type Attributes, exportRequest, type Span } from './otlp';

/** So many spans are kept for the collector at most; what comes while there are more is dropped, and counted. */
const MOST_KEPT = 8_192;
const MOST_SENT = 512;
const EACH_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** A process that stops has a few seconds for everything, and its store is closed after its traces. */
const CLOSE_MS = 2_000;
/** Answers that say: later (OTLP/HTTP, "Retryable Response Codes"). */
const RETRYABLE = new Set([429, 502, 503, 504]);
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
const TRIES = 5;

export interface ExporterDeps {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly version: string;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly count: (spans: number, outcome: 'exported' | 'dropped') => void;
  /** How long `close` may take at most; two seconds where nothing is said. */
  readonly closeMs?: number;
}

/** Sends spans to a collector by OTLP over HTTP, in JSON, in batches. A collector that is away costs spans, and nothing else. */
export class Exporter {
  #waiting: Span[] = [];
  #timer: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  #closed = false;
  /** Told once for each time that the collector is away. */
  #away = false;
  #wake: () => void = () => {};
  /** Gives up the request that is on its way. */
  #abort: (why: Error) => void = () => {};
  #givenUp = false;

  constructor(private readonly deps: ExporterDeps) {}

  readonly add = (span: Span): void => {
    if (this.#closed || this.#waiting.length >= MOST_KEPT) return this.deps.count(1, 'dropped');
    this.#waiting.push(span);
    if (this.#waiting.length >= MOST_SENT) this.#begin();
    else this.#timer ??= this.deps.clock.after(EACH_MS, () => this.#begin());
  };

  /** Sends what is there, with one try; what a slow collector has not taken in time is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    const { clock, closeMs = CLOSE_MS } = this.deps;
    const cancel = clock.after(closeMs, () => {
      this.#givenUp = true;
      this.#abort(new Error('it is too slow for a process that stops'));
    });
    this.#wake();
    await this.#sending;
    this.#begin();
    await this.#sending;
    cancel();
  }

  #begin(): void {
    this.#timer?.();
    this.#timer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_SENT);
      this.deps.count(batch.length, (await this.#insist(batch)) ? 'exported' : 'dropped');
    }
  }

  /** False when the batch was not taken, and will not be. */
  async #insist(batch: readonly Span[]): Promise<boolean> {
    const { resource, version } = this.deps;
    const body = JSON.stringify(exportRequest(resource, { name: 'everstep', version }, batch));
    for (let tries = 1; ; tries++) {
      const problem = await this.#send(body);
      if (problem === null) {
        this.#away = false;
        return true;
      }
      if (!this.#away) this.deps.warn(`Traces cannot be sent: ${problem.message}`);
      this.#away = true;
      if (problem.againInMs === null || tries === TRIES || this.#closed) return false;
      await this.#pause(Math.max(problem.againInMs, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1))));
    }
  }

  /** Null when it was taken; else why not, and when it may be tried again (null: never). */
  async #send(body: string): Promise<{ message: string; againInMs: number | null } | null> {
    const { url, headers, clock } = this.deps;
    if (this.#givenUp) return { message: 'the process stops', againInMs: null };
    const given = new AbortController();
    this.#abort = (why) => given.abort(why);
    const cancel = clock.after(TIMEOUT_MS, () => given.abort(new Error('the collector does not answer in time')));
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // A redirect would take the headers, and what they may hold, elsewhere.
        redirect: 'error',
        signal: given.signal,
      });
      await response.body?.cancel();
      if (response.ok) return null;
      const later = parseRetryAfter(response.headers.get('retry-after') ?? '', clock.now()) ?? 0;
      return {
        message: `the collector answered ${response.status}`,
        againInMs: RETRYABLE.has(response.status) ? Math.min(later, LONGEST_RETRY_MS) : null,
      };
    } catch (fault) {
      return { message: errorMessage(fault), againInMs: 0 };
    } finally {
      cancel();
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.deps.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
