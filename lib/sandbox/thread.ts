import { type JobLost, type ThreadEvents, WorkerThread } from '../threads/thread';
import { GRACE_MS } from './limits';
import type { JobMessage, Ran, ThreadData } from './messages';

/** Scripts' memory is outside of this heap, which holds one source, one result and the lines. */
const RESOURCES = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };

/** A worker thread for scripts. A script that does not end in its time, or when stopped, is ended with its thread. */
export class Thread {
  readonly #thread: WorkerThread<JobMessage, never, Ran>;
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #lane: string | null = null;
  #settle: (ran: Ran) => void = () => undefined;

  constructor(entry: string, engine: WebAssembly.Module, events: ThreadEvents) {
    const workerData: ThreadData = { engine, stop: this.#stop };
    this.#thread = new WorkerThread({ entry, workerData, resourceLimits: RESOURCES }, events);
  }

  get free(): boolean {
    return this.#thread.isFree;
  }

  /** The lane of the last script. */
  get lane(): string | null {
    return this.#lane;
  }

  /** Runs a job on a free thread; `settle` is called once, unless `stop` is. */
  run(message: JobMessage, settle: (ran: Ran) => void): void {
    const { lane, timeoutMs } = message;
    this.#lane = lane;
    this.#settle = settle;
    this.#thread.run({
      message,
      transfer: [],
      timeoutMs: timeoutMs + GRACE_MS,
      onProgress: () => undefined,
      onDone: (ran) => this.#settle(ran),
      onLost: (lost) => this.#settle(lostScript(lost, timeoutMs)),
    });
  }

  /** Discards the job. The thread is free when the script has ended. */
  stop(): void {
    const { jobId } = this.#thread;
    if (jobId === null) return;
    this.#settle = () => undefined;
    Atomics.store(this.#stop, 0, jobId);
    this.#thread.limit(GRACE_MS);
  }

  async end(): Promise<void> {
    await this.#thread.end();
  }
}

/** The outcome of a script whose thread was lost, with its console output. */
function lostScript(lost: JobLost, timeoutMs: number): Ran {
  if (lost.kind === 'timed_out') {
    const message = `The script took longer than its ${timeoutMs} ms`;
    return { kind: 'error', code: 'timed_out', message, lines: [] };
  }
  return { kind: 'error', code: 'crashed', message: `The sandbox broke down: ${lost.message}`, lines: [] };
}
