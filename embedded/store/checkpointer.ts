import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface CheckpointWorkerData {
  readonly file: string;
  readonly sync: boolean;
}

export type CheckpointRequest = 'checkpoint' | 'close';

/** `logPages`: the length of the log; all but what was committed meanwhile, or a pinned state needs, is in the file. */
export type CheckpointResult = { kind: 'done'; logPages: number } | { kind: 'failed'; message: string };

/** Changed rows after which the log is moved into the file. */
const CHANGED_ROWS = 4_000;
/** A log of this length is emptied, which is only possible between two commits. */
const LONG_LOG_PAGES = 4_000;
/** The thread holds no data: pages go through SQLite's own memory. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };

interface CheckpointerDeps extends CheckpointWorkerData {
  /**
   * Moves what is left of a long log, from the thread that commits: SQLite begins the log anew at the next commit once all
   * of it is in the file, and under load there is always something left.
   */
  readonly finish: () => void;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Moves the log into the data file beside the commits, on a thread with its own connection. Owns: when. Does not own: what
 * is durable: a commit is on disk once it is in the log, whether or not it has been moved. The thread starts when it is
 * first needed. When it fails, SQLite moves a long log within a commit, as it does without a thread.
 */
export class Checkpointer {
  private worker: Worker | undefined;
  private busy = false;
  private closed = false;
  private movedAt = 0;

  constructor(private readonly deps: CheckpointerDeps) {}

  /** After a commit: how many rows the connection has changed so far. */
  committed(changedRows: number): void {
    if (this.busy || this.closed || changedRows - this.movedAt < CHANGED_ROWS) return;
    this.movedAt = changedRows;
    this.busy = true;
    this.worker ??= this.start();
    this.send('checkpoint');
  }

  /** Resolves when the thread has closed its connection. */
  close(): Promise<void> {
    this.closed = true;
    const { worker } = this;
    if (worker === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      worker.once('exit', () => resolve());
      this.send('close');
    });
  }

  private send(request: CheckpointRequest): void {
    this.worker?.postMessage(request);
  }

  private start(): Worker {
    const { file, sync, onFault } = this.deps;
    const data: CheckpointWorkerData = { file, sync };
    const worker = new Worker(join(__dirname, 'checkpoint-worker.js'), { workerData: data, resourceLimits: HEAP });
    worker.on('message', (result: CheckpointResult) => this.finished(result));
    worker.on('error', onFault);
    worker.on('exit', () => {
      this.worker = undefined;
      this.busy = false;
    });
    return worker;
  }

  private finished(result: CheckpointResult): void {
    this.busy = false;
    if (result.kind === 'failed') return this.deps.onFault(new Error(result.message));
    if (this.closed || result.logPages < LONG_LOG_PAGES) return;
    try {
      this.deps.finish();
    } catch (fault) {
      this.deps.onFault(fault);
    }
  }
}
