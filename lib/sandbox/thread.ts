import { Worker } from 'node:worker_threads';
import { GRACE_MS } from './limits';
import type { FromThread, JobMessage, Ran, ThreadData } from './messages';

/** The scripts' memory is outside of this heap: here are one source, one result, and the lines. */
const RESOURCES = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };

/** What a thread tells its pool. */
export interface ThreadEvents {
  /** It can take a job: at first, and after each. */
  onFree(): void;
  /** It is no more; `fault` says why when it never could take a job. */
  onEnded(fault: Error | null): void;
}

type State =
  | { kind: 'starting' }
  | { kind: 'free' }
  | { kind: 'busy'; job: JobMessage; timer: NodeJS.Timeout; settle(ran: Ran): void }
  | { kind: 'ended' };

/**
 * A worker thread that runs scripts, one at a time. A script that does not end in its time, or when told to, is ended
 * with its thread. Keeps the process alive but while it is free.
 */
export class Thread {
  #state: State = { kind: 'starting' };
  readonly #worker: Worker;
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #fault: Error | null = null;
  #lane: string | null = null;
  #overdue = false;

  constructor(
    entry: string,
    engine: WebAssembly.Module,
    private readonly events: ThreadEvents,
  ) {
    const workerData: ThreadData = { engine, stop: this.#stop };
    // Nothing of the process's surroundings: neither its environment, where keys are, nor its options.
    this.#worker = new Worker(entry, { workerData, resourceLimits: RESOURCES, env: {}, argv: [], execArgv: [] });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (fault) => {
      this.#fault = fault instanceof Error ? fault : new Error(String(fault));
    });
    this.#worker.once('exit', () => this.#exited());
  }

  get free(): boolean {
    return this.#state.kind === 'free';
  }

  /** Whose script ran here last. */
  get lane(): string | null {
    return this.#lane;
  }

  /** Runs a job; `settle` is called once, unless `stop` is. Only while the thread is free. */
  run(job: JobMessage, settle: (ran: Ran) => void): void {
    if (this.#state.kind !== 'free') throw new Error(`A thread that is ${this.#state.kind} takes no job`);
    this.#state = { kind: 'busy', job, timer: this.#endIn(job.timeoutMs + GRACE_MS), settle };
    this.#lane = job.lane;
    this.#worker.ref();
    this.#worker.postMessage(job);
  }

  /** Nobody wants the result any more. The thread is free again when the script has ended. */
  stop(): void {
    if (this.#state.kind !== 'busy') return;
    const { job, timer } = this.#state;
    clearTimeout(timer);
    Atomics.store(this.#stop, 0, job.id);
    this.#state = { kind: 'busy', job, timer: this.#endIn(GRACE_MS), settle: () => undefined };
  }

  /** Ends it, whatever it does. */
  async end(): Promise<void> {
    if (this.#state.kind !== 'busy') this.#state = { kind: 'ended' };
    await this.#worker.terminate();
  }

  #endIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#overdue = true;
      void this.#worker.terminate();
    }, ms);
  }

  #hear(message: FromThread): void {
    if (message.kind === 'ready') return this.#becomeFree();
    if (this.#state.kind !== 'busy' || this.#state.job.id !== message.id) return;
    const { timer, settle } = this.#state;
    clearTimeout(timer);
    settle(message.ran);
    this.#becomeFree();
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
      before.settle(this.#lastWords(before.job));
    }
    this.events.onEnded(before.kind === 'starting' ? (this.#fault ?? new Error('The thread ended')) : null);
  }

  /** What became of a job whose thread is gone; what it wrote to its console is gone too. */
  #lastWords({ timeoutMs }: JobMessage): Ran {
    if (this.#overdue)
      return {
        kind: 'error',
        code: 'timed_out',
        message: `The script took longer than its ${timeoutMs} ms`,
        lines: [],
      };
    const why = this.#fault?.message ?? 'its thread was ended';
    return { kind: 'error', code: 'crashed', message: `The sandbox broke down: ${why}`, lines: [] };
  }
}
