import Redis from 'ioredis';
import { backoffMs } from '../backoff';
import { errorMessage } from '../errors';
import { isObject } from '../json';

/**
 * A connection to Redis that never blocks callers. Decides when Redis is usable.
 *
 * L1 A command is answered within ANSWER_MS, or the result is `away`; it never throws.
 * L2 After a fault the link is down: commands return `away` at once until a probe succeeds. A server that is full or
 *   has become a replica counts as down.
 * L3 A loss is logged once, and so is the recovery.
 */
export class Link {
  readonly #redis: Redis;
  readonly #log: Log;
  #state: State = { kind: 'down', reason: 'not connected yet' };
  #tries = 0;
  #isLossLogged = false;
  /** The last error of a connection before it closed; the close event has none. */
  #fault: unknown = null;

  constructor(private readonly options: LinkOptions) {
    this.#log = options.log;
    this.#redis = new Redis(options.url, {
      keyPrefix: `${options.namespace}:`,
      // A command that waits for a connection is useless by then.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: SILENCE_MS,
      // A paused server accepts connections and does not answer.
      socketTimeout: SILENCE_MS,
      disconnectTimeout: ANSWER_MS,
      disableClientInfo: true,
      retryStrategy: () => backoffMs(RECONNECT, ++this.#tries, Math.random()),
    });
    this.#redis.on('ready', () => void this.#prove());
    this.#redis.on('error', (fault: unknown) => (this.#fault = fault));
    this.#redis.on('close', () => this.#closed());
  }

  /** Why Redis is not used, without internal details; null when it is used. */
  get unavailableReason(): string | null {
    return this.#state.kind === 'down' ? this.#state.reason : null;
  }

  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<Reply<T>> {
    const state = this.#state;
    if (state.kind !== 'up') return AWAY;
    try {
      return { kind: 'reply', value: await inTime(question(this.#redis)) };
    } catch (fault) {
      this.#onLoss(state, fault);
      return AWAY;
    }
  }

  close(): void {
    this.#state = { kind: 'closed' };
    this.#redis.disconnect();
  }

  async #prove(): Promise<void> {
    const state = this.#state;
    try {
      await inTime(this.options.prove(this.#redis));
    } catch (fault) {
      this.#onLoss(state, fault);
      return;
    }
    if (this.#state !== state) return;
    this.#state = { kind: 'up', since: performance.now() };
    if (this.#isLossLogged) this.#log.warn('Redis is available again: caches and rate limits are shared');
    this.#isLossLogged = false;
  }

  #closed(): void {
    const fault = this.#fault;
    this.#fault = null;
    // If this process closed it, the reason is known already.
    if (this.#state.kind === 'up' || fault !== null)
      this.#onLoss(this.#state, fault ?? new Error('The connection was lost'));
  }

  /** `seen`: the state in which the fault arose. A fault of an earlier state is ignored. */
  #onLoss(seen: State, fault: unknown): void {
    if (this.#state !== seen || seen.kind === 'closed') return;
    this.#state = { kind: 'down', reason: reasonOf(fault) };
    // An unstable server is retried at growing intervals.
    if (seen.kind === 'up' && performance.now() - seen.since > STEADY_MS) this.#tries = 0;
    // A connection with unanswered commands would answer those first.
    if (this.#redis.status === 'ready') this.#redis.disconnect(true);
    if (this.#isLossLogged) return;
    this.#isLossLogged = true;
    // Only the message: the error carries the command, which may contain the password.
    this.#log.warn(`Redis is unavailable; each process uses its own caches and rate limits: ${errorMessage(fault)}`);
  }
}

interface LinkOptions {
  readonly url: string;
  readonly namespace: string;
  readonly log: Log;
  /** Runs every kind of command used later, including a write: fails when any of them is refused. */
  readonly prove: (redis: Redis) => Promise<unknown>;
}

/** The reply of Redis; `away` without a usable one. */
type Reply<T> = { readonly kind: 'reply'; readonly value: T } | { readonly kind: 'away' };

/** Log of losses and recoveries. */
export interface Log {
  warn(message: string): void;
}

type State =
  | { readonly kind: 'up'; readonly since: number }
  | { readonly kind: 'down'; readonly reason: string }
  | { readonly kind: 'closed' };

const AWAY = { kind: 'away' } as const;
const ANSWER_MS = 75;
const SILENCE_MS = 1_000;
const RECONNECT = { firstMs: 100, maxMs: 2_000 };
const STEADY_MS = 10_000;

const TIMED_OUT = 'timeout';

class TimeoutError extends Error {}

/** @throws TimeoutError after ANSWER_MS */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // In a process that was busy itself the timer is due before the sockets are read; the reply may be there.
    const timer = setTimeout(
      () => setImmediate(() => reject(new TimeoutError(`no answer within ${ANSWER_MS} ms`))),
      ANSWER_MS,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function reasonOf(fault: unknown): string {
  if (fault instanceof TimeoutError) return TIMED_OUT;
  const { name, code } = isObject(fault) ? fault : {};
  if (name === 'ReplyError') return `command refused (${errorMessage(fault).split(' ', 1)[0]})`;
  if (errorMessage(fault).includes('Socket timeout')) return TIMED_OUT;
  return typeof code === 'string' ? `unreachable (${code})` : 'connection lost';
}
