import Redis from 'ioredis';
import { errorMessage } from '../../lib/errors';
import { isObject } from '../../lib/json';

/**
 * One connection to Redis that never lets anybody wait. Owns: when Redis counts as usable. Does not own: what is asked.
 *
 * L1 A question is answered within ANSWER_MS, or the answer is `away`; it never throws.
 * L2 After one fault the link is down: questions are `away` at once, without a try, until a proof has shown
 *    that all is allowed again. A server that is full, or has become a replica, is as good as gone.
 * L3 A loss is logged once, and so is the return.
 */
export class Link {
  readonly #redis: Redis;
  readonly #log: Log;
  #state: State = { kind: 'down', reason: 'it has not been reached yet' };
  #tries = 0;
  #lossTold = false;
  /** What a connection said last before it closed; its end alone says nothing. */
  #fault: unknown = null;

  constructor(private readonly options: LinkOptions) {
    this.#log = options.log;
    this.#redis = new Redis(options.url, {
      keyPrefix: `${options.namespace}:`,
      // A question that waits for a connection is of no use to anybody by the time there is one.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: SILENCE_MS,
      // A paused server takes connections, and says nothing on them.
      socketTimeout: SILENCE_MS,
      disconnectTimeout: ANSWER_MS,
      disableClientInfo: true,
      retryStrategy: () => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#tries++, 10), LONGEST_PAUSE_MS),
    });
    this.#redis.on('ready', () => void this.#prove());
    this.#redis.on('error', (fault: unknown) => (this.#fault = fault));
    this.#redis.on('close', () => this.#closed());
  }

  /** What keeps Redis from being used, in words that strangers may read; null when it is used. */
  get trouble(): string | null {
    return this.#state.kind === 'down' ? this.#state.reason : null;
  }

  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<Reply<T>> {
    const state = this.#state;
    if (state.kind !== 'up') return AWAY;
    try {
      return { kind: 'told', value: await inTime(question(this.#redis)) };
    } catch (fault) {
      this.#lose(state, fault);
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
      this.#lose(state, fault);
      return;
    }
    if (this.#state !== state) return;
    this.#state = { kind: 'up', since: performance.now() };
    if (this.#lossTold) this.#log.warn('Redis is back: caches and rate limits are shared again');
    this.#lossTold = false;
  }

  #closed(): void {
    const fault = this.#fault;
    this.#fault = null;
    // We may have closed it ourselves, and then the reason is known already.
    if (this.#state.kind === 'up' || fault !== null)
      this.#lose(this.#state, fault ?? new Error('The connection broke'));
  }

  /** `seen` is the state in which the fault arose: one from before the last change tells nothing of the present. */
  #lose(seen: State, fault: unknown): void {
    if (this.#state !== seen || seen.kind === 'closed') return;
    this.#state = { kind: 'down', reason: reasonOf(fault) };
    // One that comes and goes is tried ever more seldom.
    if (seen.kind === 'up' && performance.now() - seen.since > STEADY_MS) this.#tries = 0;
    // A connection with unanswered questions on it would answer them all before it says anything new.
    if (this.#redis.status === 'ready') this.#redis.disconnect(true);
    if (this.#lossTold) return;
    this.#lossTold = true;
    // Its message alone: the error carries the command, which may be the one with the password.
    this.#log.warn(`Redis is not used, so each process caches and limits by itself: ${errorMessage(fault)}`);
  }
}

export interface LinkOptions {
  readonly url: string;
  readonly namespace: string;
  readonly log: Log;
  /** Asks for everything that will be asked later, and writes: fails when any of it is refused. */
  readonly prove: (redis: Redis) => Promise<unknown>;
}

/** What Redis says to a question; `away` when it says nothing, or nothing of use. */
export type Reply<T> = { readonly kind: 'told'; readonly value: T } | { readonly kind: 'away' };

/** Where the loss and the return of Redis are told. */
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
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const STEADY_MS = 10_000;

const SILENT = 'it does not answer in time';

class Silence extends Error {}

/** @throws Silence when the answer takes longer than ANSWER_MS */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // A process that was busy itself finds the timer due before it has read its sockets; the answer may lie there.
    const timer = setTimeout(
      () => setImmediate(() => reject(new Silence(`no answer within ${ANSWER_MS} ms`))),
      ANSWER_MS,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function reasonOf(fault: unknown): string {
  if (fault instanceof Silence) return SILENT;
  const { name, code } = isObject(fault) ? fault : {};
  if (name === 'ReplyError') return `it refuses commands (${errorMessage(fault).split(' ', 1)[0]})`;
  if (errorMessage(fault).includes('Socket timeout')) return SILENT;
  return typeof code === 'string' ? `it cannot be reached (${code})` : 'its connection broke';
}
