import { Worker, type ResourceLimits } from 'node:worker_threads';
import { threadTimes } from './scheduler-statistics';
import { leftMs, type TimeLimit } from './time-limit';

/**
 * A message from a worker thread. `id` is the job's. `statistics` (`ownStatistics`): timeouts do not count the time in which the
 * thread waits for a processor; null: they count all time.
 */
export type FromThread<Progress, Result> =
  | { readonly kind: 'ready'; readonly statistics: string | null }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result };

/** A message to a worker thread. */
export interface ToThread<Message> {
  readonly id: number;
  readonly message: Message;
}

/** Why a job has no result. */
export interface JobLost {
  readonly kind: 'timed_out' | 'out_of_memory' | 'crashed';
  readonly message: string;
}

/** A job's callbacks: either `onDone` or `onLost` is called, once. */
interface ThreadJob<Message, Progress, Result> {
  readonly message: Message;
  readonly transfer: readonly ArrayBuffer[];
  readonly timeoutMs: number;
  onProgress(progress: Progress): void;
  onDone(result: Result): void;
  onLost(lost: JobLost): void;
}

export interface ThreadEvents {
  /** The thread is free: after its start, and after each job. */
  onFree(): void;
  /** The thread has exited. `fault` is set when it never became ready. */
  onExit(fault: Error | null): void;
}

interface ThreadOptions {
  /** Path of the compiled worker. */
  readonly entry: string;
  readonly resourceLimits: ResourceLimits;
  readonly workerData?: unknown;
}

/** Ids fit in an Int32Array. */
const MAX_ID = 0x7fffffff;

/** The least time between two looks at a thread's times. */
const LOOK_MS = 20;

type State<Job> =
  | { readonly kind: 'starting' }
  | { readonly kind: 'free' }
  | { readonly kind: 'busy'; readonly id: number; readonly job: Job; timer: NodeJS.Timeout }
  | { readonly kind: 'ended' };

/**
 * A worker thread that runs one job at a time. A job that takes longer than its timeout is ended by terminating the
 * thread. The thread keeps the process alive only while it starts or runs a job.
 */
export class WorkerThread<Message, Progress, Result> {
  #state: State<ThreadJob<Message, Progress, Result>> = { kind: 'starting' };
  #fault: { readonly cause: unknown } | null = null;
  #timedOut = false;
  /** It is being terminated: a result that still arrives is the last one. */
  #isEnding = false;
  #lastId = 0;
  #statistics: string | null = null;
  readonly #worker: Worker;

  constructor(
    { entry, ...options }: ThreadOptions,
    private readonly events: ThreadEvents,
  ) {
    // Without the environment, which holds keys, and without the process's options.
    this.#worker = new Worker(entry, { ...options, env: {}, argv: [], execArgv: [] });
    this.#worker.on('message', (message: FromThread<Progress, Result>) => this.#receive(message));
    this.#worker.on('error', (cause) => {
      this.#fault = { cause };
    });
    this.#worker.once('exit', () => this.#exited());
  }

  get isFree(): boolean {
    return this.#state.kind === 'free';
  }

  /** Null while no job runs. Below 2^31. */
  get jobId(): number | null {
    return this.#state.kind === 'busy' ? this.#state.id : null;
  }

  /** Runs a job on a free thread. @throws DataCloneError for a message that cannot be cloned; the thread stays free */
  run(job: ThreadJob<Message, Progress, Result>): void {
    if (this.#state.kind !== 'free') throw new Error(`A thread that is ${this.#state.kind} takes no job`);
    this.#lastId = (this.#lastId % MAX_ID) + 1;
    const id = this.#lastId;
    const sent: ToThread<Message> = { id, message: job.message };
    this.#worker.postMessage(sent, [...job.transfer]);
    this.#state = { kind: 'busy', id, job, timer: this.#terminateIn(job.timeoutMs) };
    this.#worker.ref();
  }

  /** Restarts the running job's timer, with another timeout. */
  limit(timeoutMs: number): void {
    if (this.#state.kind !== 'busy') return;
    clearTimeout(this.#state.timer);
    this.#state.timer = this.#terminateIn(timeoutMs);
  }

  /** Terminates the thread. A running job is reported as lost. */
  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#state.kind !== 'busy') this.#state = { kind: 'ended' };
    await this.#worker.terminate();
  }

  #terminateIn(ms: number): NodeJS.Timeout {
    return this.#lookIn(ms, { ms, since: performance.now(), waitedMs: this.#waitedMs() });
  }

  /** On a busy machine, a thread may have got little of a processor: it gets the time in which it waited for one. */
  #lookIn(delayMs: number, limit: TimeLimit): NodeJS.Timeout {
    // If the main thread was blocked, the result may have arrived: it is read before the check phase.
    return setTimeout(() => {
      const late = this.#state;
      setImmediate(() => {
        if (late.kind !== 'busy' || this.#state !== late) return;
        const left = leftMs(limit, performance.now(), this.#waitedMs());
        if (left > 0) {
          late.timer = this.#lookIn(Math.max(left, LOOK_MS), limit);
          return;
        }
        this.#timedOut = true;
        void this.end();
      });
    }, delayMs);
  }

  #waitedMs(): number | null {
    return threadTimes(this.#statistics)?.waitedMs ?? null;
  }

  #receive(message: FromThread<Progress, Result>): void {
    if (message.kind === 'ready') {
      this.#statistics = message.statistics;
      if (this.#state.kind === 'starting') this.#becomeFree();
      return;
    }
    if (this.#state.kind !== 'busy' || this.#state.id !== message.id) return;
    const { job, timer } = this.#state;
    if (message.kind === 'progress') return job.onProgress(message.progress);
    clearTimeout(timer);
    // Before the callbacks, which may start the next job.
    this.#state = { kind: this.#isEnding ? 'ended' : 'free' };
    this.#worker.unref();
    job.onDone(message.result);
    if (this.isFree) this.events.onFree();
  }

  #becomeFree(): void {
    this.#state = { kind: 'free' };
    this.#worker.unref();
    this.events.onFree();
  }

  #exited(): void {
    const before = this.#state;
    this.#state = { kind: 'ended' };
    if (before.kind === 'busy') {
      clearTimeout(before.timer);
      before.job.onLost(this.#reason());
    }
    const cause = this.#fault?.cause ?? 'the thread exited before it was ready';
    this.events.onExit(before.kind === 'starting' ? asError(cause) : null);
  }

  #reason(): JobLost {
    const message = this.#fault === null ? 'its thread was ended' : asError(this.#fault.cause).message;
    if (this.#timedOut) return { kind: 'timed_out', message };
    const cause = this.#fault?.cause;
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
    return { kind: code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'crashed', message };
  }
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
