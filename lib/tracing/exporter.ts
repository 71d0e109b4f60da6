import { backoffMs } from '../backoff';
import type { Clock } from '../clock';
import { errorMessage } from '../errors';
import { parseRetryAfter } from '../retry-after';
import { type Attributes, exportRequest, type Span } from './otlp';

/** Spans above the limit of the queue are dropped and counted. */
const MAX_QUEUED = 8_192;
const MAX_BATCH = 512;
const BATCH_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** A process that stops has a few seconds in all, and closes its store after its traces. */
const CLOSE_MS = 2_000;
/** OTLP/HTTP, "Retryable Response Codes". */
const RETRYABLE = new Set([429, 502, 503, 504]);
const RETRY = { firstMs: 1_000, maxMs: 30_000 };
const MAX_ATTEMPTS = 5;

interface ExporterDeps {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly version: string;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly count: (spans: number, outcome: 'exported' | 'dropped') => void;
  /** Time limit of `close`. Default: two seconds. */
  readonly closeMs?: number;
}

/** Sends spans to a collector by OTLP over HTTP, in JSON, in batches. While the collector is away, spans are dropped and nothing else happens. */
export class Exporter {
  #queue: Span[] = [];
  #timer: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  #closed = false;
  /** Logged once for each outage. */
  #isAway = false;
  #wake: () => void = () => {};
  /** Aborts the request in progress. */
  #abort: (why: Error) => void = () => {};
  #isAborted = false;

  constructor(private readonly deps: ExporterDeps) {}

  readonly add = (span: Span): void => {
    if (this.#closed || this.#queue.length >= MAX_QUEUED) return this.deps.count(1, 'dropped');
    this.#queue.push(span);
    if (this.#queue.length >= MAX_BATCH) this.#flush();
    else this.#timer ??= this.deps.clock.after(BATCH_MS, () => this.#flush());
  };

  /** Sends the queue, with one attempt for each batch; what the collector does not take in time is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    const { clock, closeMs = CLOSE_MS } = this.deps;
    const cancel = clock.after(closeMs, () => {
      this.#isAborted = true;
      this.#abort(new Error('the collector is too slow for a process that stops'));
    });
    this.#wake();
    await this.#sending;
    this.#flush();
    await this.#sending;
    cancel();
  }

  #flush(): void {
    this.#timer?.();
    this.#timer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_BATCH);
      this.deps.count(batch.length, (await this.#sendWithRetries(batch)) ? 'exported' : 'dropped');
    }
  }

  /** False when the batch is given up. */
  async #sendWithRetries(batch: readonly Span[]): Promise<boolean> {
    const { resource, version } = this.deps;
    const body = JSON.stringify(exportRequest(resource, { name: 'everstep', version }, batch));
    for (let attempt = 1; ; attempt++) {
      const problem = await this.#send(body);
      if (problem === null) {
        this.#isAway = false;
        return true;
      }
      if (!this.#isAway) this.deps.warn(`Traces cannot be sent: ${problem.message}`);
      this.#isAway = true;
      if (problem.retryAfterMs === null || attempt === MAX_ATTEMPTS || this.#closed) return false;
      await this.#pause(Math.max(problem.retryAfterMs, backoffMs(RETRY, attempt, Math.random())));
    }
  }

  /** Null on success; otherwise why it failed, and after how long it may be retried (null: never). */
  async #send(body: string): Promise<{ message: string; retryAfterMs: number | null } | null> {
    const { url, headers, clock } = this.deps;
    if (this.#isAborted) return { message: 'the process stops', retryAfterMs: null };
    const controller = new AbortController();
    this.#abort = (why) => controller.abort(why);
    const cancel = clock.after(TIMEOUT_MS, () => controller.abort(new Error('the collector does not answer in time')));
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // A redirect would send the headers, which may hold credentials, elsewhere.
        redirect: 'error',
        signal: controller.signal,
      });
      await response.body?.cancel();
      if (response.ok) return null;
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', clock.now()) ?? 0;
      return {
        message: `the collector answered ${response.status}`,
        retryAfterMs: RETRYABLE.has(response.status) ? Math.min(retryAfterMs, RETRY.maxMs) : null,
      };
    } catch (fault) {
      return { message: errorMessage(fault), retryAfterMs: 0 };
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
