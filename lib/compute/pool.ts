/**
 * Runs tasks on a few worker threads that all tenants share.
 *
 * C1 Threads start with the first task and end when idle; an idle pool does not keep the process running.
 * C2 Tenants are served in turn, and the last free thread goes to a tenant that has none, so no tenant can occupy all
 *   threads where there are several.
 * C3 A task that exceeds its timeout or the thread's memory is ended with its thread, which is replaced.
 */
import { join } from 'node:path';
import { FairQueue } from '../threads/queue';
import { type JobLost, WorkerThread } from '../threads/thread';
import type { TaskMessage, TaskProgress, TaskResult, ThreadData } from './messages';
import { type ComputeTask, TASK_MODULES } from './task';

export interface ComputePolicy {
  readonly maxThreads: number;
  /** Maximum queued tasks of a tenant. */
  readonly maxWaiting: number;
  /** How long an idle thread is kept. */
  readonly idleMs: number;
  /** Memory limits of a thread. */
  readonly heapMiB: number;
}

const POLICY: ComputePolicy = { maxThreads: 2, maxWaiting: 200, idleMs: 30_000, heapMiB: 256 };
const YOUNG_MIB = 32;
const STACK_MIB = 4;

/** Default timeout of a task. */
const TASK_TIMEOUT_MS = 5_000;
/** Time limit for loading a task's module. */
const LOAD_TIMEOUT_MS = 60_000;

/**
 * Why a task has no result. Caused by the task: `timed_out`, `out_of_memory`, `crashed` (it threw, or ended its
 * thread). Caused by the pool: `overloaded` (too many queued tasks of the tenant), `aborted` (by the signal, or the
 * pool is closed).
 */
type ComputeErrorCode = 'timed_out' | 'out_of_memory' | 'crashed' | 'overloaded' | 'aborted';

export class ComputeError extends Error {
  override readonly name = 'ComputeError';
  /** Whether a retry may succeed. */
  readonly retryable: boolean;

  constructor(
    readonly code: ComputeErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.retryable = code === 'overloaded' || code === 'aborted';
  }
}

export interface ComputeOptions {
  /**
   * Counted from the start of the task, without queueing, and on Linux without waits for a processor: a task on a busy machine
   * is not ended for what others do, up to ten times as much by the clock. Default: TASK_TIMEOUT_MS.
   */
  readonly timeoutMs?: number;
  /** Input buffers to transfer instead of copying; the caller cannot use them afterwards. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Rejects with `aborted`. A running task continues; its result is dropped. */
  readonly signal?: AbortSignal;
}

/**
 * Runs tasks of one tenant. Input and result are copied on the main thread: above about 1 MiB of JSON, transfer bytes.
 */
export interface Compute {
  /** @throws ComputeError */
  run<Input, Result>(task: ComputeTask<Input, Result>, input: Input, options?: ComputeOptions): Promise<Result>;
}

type Thread = WorkerThread<TaskMessage, TaskProgress, TaskResult>;

interface Ticket {
  readonly lane: string;
  readonly message: TaskMessage;
  readonly transfer: readonly ArrayBuffer[];
  readonly timeoutMs: number;
  resolve(result: unknown): void;
  reject(fault: ComputeError): void;
}

export class ComputePool {
  readonly #policy: ComputePolicy;
  readonly #entry: string;
  readonly #data: ThreadData;
  readonly #queue = new FairQueue<Ticket>();
  readonly #threads = new Set<Thread>();
  readonly #running = new Set<Ticket>();
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor({
    policy = {},
    modules = TASK_MODULES,
    entry = join(__dirname, 'worker.js'),
  }: {
    readonly policy?: Partial<ComputePolicy>;
    /** Paths in the folder of the compiled program. */
    readonly modules?: readonly string[];
    /** Path of the compiled worker. */
    readonly entry?: string;
  } = {}) {
    this.#policy = { ...POLICY, ...policy };
    this.#entry = entry;
    this.#data = { modules };
  }

  /** The pool for one tenant. */
  lane(tenantId: string): Compute {
    return {
      run: (task, input, options = {}) => this.#run(tenantId, task, input, options),
    };
  }

  /** Ends all threads. Queued and running tasks reject as `aborted`. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#idle !== null) clearTimeout(this.#idle);
    for (const ticket of [...this.#queue, ...this.#running]) ticket.reject(aborted(CLOSED));
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #run<Input, Result>(
    lane: string,
    { module, name }: ComputeTask<Input, Result>,
    input: Input,
    { timeoutMs = TASK_TIMEOUT_MS, transfer = [], signal }: ComputeOptions,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) return reject(aborted(CLOSED));
      if (signal?.aborted === true) return reject(aborted(ABORTED));
      if (this.#queue.sizeOf(lane) >= this.#policy.maxWaiting)
        return reject(new ComputeError('overloaded', 'Too many computations are queued; try again later'));
      const abort = (): void => ticket.reject(aborted(ABORTED));
      const leave = (): void => {
        signal?.removeEventListener('abort', abort);
        this.#queue.remove(ticket);
      };
      const ticket: Ticket = {
        lane,
        message: { module, name, input },
        transfer,
        timeoutMs,
        resolve: (result) => {
          leave();
          // The type of the task's module and name guarantees the result's type.
          resolve(result as Result);
        },
        reject: (fault) => {
          leave();
          reject(fault);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.push(ticket);
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#closed) return;
    for (const thread of this.#threads) {
      if (!thread.isFree) continue;
      const ticket = this.#queue.shift((lane) => this.#mayRun(lane));
      if (ticket === undefined) break;
      this.#begin(ticket, thread);
    }
    const wanted = Math.min(this.#policy.maxThreads, this.#running.size + this.#queue.size);
    while (this.#threads.size < wanted) this.#spawn();
    this.#watchIdle();
  }

  #mayRun(lane: string): boolean {
    const { maxThreads } = this.#policy;
    if (maxThreads === 1 || this.#running.size < maxThreads - 1) return true;
    return ![...this.#running].some((ticket) => ticket.lane === lane);
  }

  #begin(ticket: Ticket, thread: Thread): void {
    const { message, transfer, timeoutMs } = ticket;
    try {
      thread.run({
        message,
        transfer,
        timeoutMs: LOAD_TIMEOUT_MS,
        onProgress: () => thread.limit(timeoutMs),
        onDone: (result) => {
          this.#running.delete(ticket);
          if (result.kind === 'result') ticket.resolve(result.result);
          else ticket.reject(new ComputeError('crashed', `The computation failed: ${result.message}`));
        },
        onLost: (lost) => {
          this.#running.delete(ticket);
          ticket.reject(lostError(lost, timeoutMs));
        },
      });
      this.#running.add(ticket);
    } catch (cause) {
      ticket.reject(new ComputeError('crashed', 'The input of the computation cannot be sent to a thread', { cause }));
    }
  }

  #spawn(): void {
    const resourceLimits = {
      maxOldGenerationSizeMb: this.#policy.heapMiB,
      maxYoungGenerationSizeMb: YOUNG_MIB,
      stackSizeMb: STACK_MIB,
    };
    const thread: Thread = new WorkerThread(
      { entry: this.#entry, resourceLimits, workerData: this.#data },
      {
        onFree: () => this.#pump(),
        onExit: (cause) => {
          this.#threads.delete(thread);
          // If one thread cannot start, others would fail as well.
          if (cause !== null)
            for (const ticket of [...this.#queue])
              ticket.reject(new ComputeError('crashed', `Compute threads do not start: ${cause.message}`, { cause }));
          this.#pump();
        },
      },
    );
    this.#threads.add(thread);
  }

  #watchIdle(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#running.size > 0 || this.#queue.size > 0 || this.#threads.size === 0) return;
    this.#idle = setTimeout(() => {
      for (const thread of this.#threads) void thread.end();
    }, this.#policy.idleMs);
    this.#idle.unref();
  }
}

const CLOSED = 'The process is stopping';
const ABORTED = 'The computation was aborted';

const aborted = (message: string): ComputeError => new ComputeError('aborted', message);

function lostError(lost: JobLost, timeoutMs: number): ComputeError {
  switch (lost.kind) {
    case 'timed_out':
      return new ComputeError('timed_out', `The computation took longer than ${timeoutMs / 1_000} s`);
    case 'out_of_memory':
      return new ComputeError('out_of_memory', 'The computation exceeded its memory limit');
    case 'crashed':
      return new ComputeError('crashed', `The computation failed: ${lost.message}`);
  }
}
