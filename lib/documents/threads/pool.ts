/**
 * Parses files in a few worker threads.
 *
 *  T1  Threads start with the first file. An idle thread does not keep the process alive, and ends after IDLE_MS.
 *  T2  A thread parses one file at a time. A thread that a file crashed, or that timed out, is replaced when another file
 *      waits.
 *  T3  An abort rejects the caller's promise immediately and ends the thread of its file.
 */
import type { ParseRequest, ParseResult } from '../contract';
import type { ParseLimits } from '../limits';
import { Thread } from './thread';

/** How long idle threads are kept. Each takes about 40 MiB. */
const IDLE_MS = 60_000;

/** A file and its promise. */
interface Ticket {
  readonly request: ParseRequest;
  onChunking(): void;
  thread: Thread | null;
  settle(result: ParseResult): void;
  refuse(fault: unknown): void;
}

export class ThreadPool {
  readonly #waiting: Ticket[] = [];
  readonly #threads = new Set<Thread>();
  readonly #running = new Set<Ticket>();
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(
    private readonly entry: string,
    private readonly limits: ParseLimits,
  ) {}

  /** @throws the signal's reason when it aborts; Error when the pool is closed or no thread can be started */
  parse(request: ParseRequest, signal: AbortSignal | undefined, onChunking: () => void): Promise<ParseResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error(CLOSED));
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const leave = (): void => {
        signal?.removeEventListener('abort', abort);
        this.#remove(ticket);
      };
      const ticket: Ticket = {
        request,
        onChunking,
        thread: null,
        settle: (result) => {
          leave();
          resolve(result);
        },
        refuse: (fault) => {
          leave();
          reject(fault);
        },
      };
      const abort = (): void => {
        const { thread } = ticket;
        ticket.refuse(signal?.reason);
        void thread?.end();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(ticket);
      this.#pump();
    });
  }

  /** Ends all threads; pending files reject. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#idle !== null) clearTimeout(this.#idle);
    for (const ticket of [...this.#waiting, ...this.#running]) ticket.refuse(new Error(CLOSED));
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #remove(ticket: Ticket): void {
    this.#running.delete(ticket);
    const at = this.#waiting.indexOf(ticket);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  #pump(): void {
    if (this.#closed) return;
    for (const thread of this.#threads) while (thread.free && this.#waiting.length > 0) this.#begin(thread);
    const starting = this.#threads.size - this.#running.size;
    const wanted = Math.min(this.limits.threads - this.#threads.size, this.#waiting.length - starting);
    for (let n = 0; n < wanted; n++) this.#startThread();
    this.#watchIdle();
  }

  #begin(thread: Thread): void {
    const ticket = this.#waiting.shift() as Ticket;
    this.#running.add(ticket);
    ticket.thread = thread;
    try {
      thread.read(ticket.request, ticket);
    } catch (fault) {
      // Its content cannot be transferred. The thread is still free.
      ticket.refuse(fault);
    }
  }

  #startThread(): void {
    const thread = new Thread(this.entry, this.limits, {
      onFree: () => this.#pump(),
      onExit: (cause) => {
        this.#threads.delete(thread);
        // If a thread cannot start, others cannot either.
        const fault = cause === null ? null : new Error('A thread for parsing files cannot start', { cause });
        if (fault !== null) for (const ticket of [...this.#waiting]) ticket.refuse(fault);
        this.#pump();
      },
    });
    this.#threads.add(thread);
  }

  #watchIdle(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#running.size > 0 || this.#waiting.length > 0 || this.#threads.size === 0) return;
    this.#idle = setTimeout(() => {
      for (const thread of this.#threads) void thread.end();
    }, IDLE_MS);
    this.#idle.unref();
  }
}

const CLOSED = 'The file cannot be read: the service is shutting down';
