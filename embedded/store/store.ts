import { performance } from 'node:perf_hooks';
import { Catalog } from './catalog';
import { Checkpointer } from './checkpointer';
import { CursorTable } from './cursors';
import { openingError } from './data-file';
import { Environment } from './environment';
import { dropUnfinished } from './index-build';
import { Records } from './records';
import { Scheduler, type StoreFault } from './scheduler';
import { releaseEmptyPages, removeExpired, collectGarbage } from './garbage-collection';
import { TimeSlice, type Task } from './task';

interface StoreOptions {
  readonly dir: string;
  /** False in tests only: commits survive the process, not the machine. */
  readonly sync: boolean;
  /** Milliseconds between checks for expired documents. */
  readonly ttlIntervalMs: number;
  /** Milliseconds after which an unread cursor is closed. */
  readonly cursorIdleMs: number;
  /** Bytes reserved for deletes on a full disk; 0 for none. */
  readonly reserveBytes: number;
  /** Milliseconds between checks for idle cursors, garbage and empty pages. */
  readonly housekeepingMs: number;
  /** Called when the store cannot write, temporarily or permanently. */
  report(fault: StoreFault): void;
}

/** Milliseconds between checks of the log, and its size above which snapshots of reads are released. */
const LOG_LOOK_MS = 1_000;
const LONG_LOG_BYTES = 256 * 1024 * 1024;

/** The opened store: files, catalogue, records, scheduler, cursors and background jobs. */
export class Store {
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly records: Records;
  readonly scheduler: Scheduler;
  readonly cursors: CursorTable;
  private readonly checkpointer: Checkpointer | undefined;
  private readonly timers: NodeJS.Timeout[];
  private readonly runningSweeps = new Set<string>();
  /** The last fault of each background job. */
  private readonly logged = new Map<string, string>();
  private readonly garbage = { tried: Buffer.alloc(0) };
  private keeping: Promise<void> = Promise.resolve();

  /** @throws StoreError naming the path and what to do */
  constructor(options: StoreOptions) {
    const onCommit = (rows: number): void => this.checkpointer?.committed(rows);
    this.env = Environment.open(options.dir, options.sync, options.reserveBytes, onCommit);
    try {
      this.catalog = new Catalog(this.env);
      this.env.write(() => {
        dropUnfinished(this.catalog);
        this.catalog.flush();
      });
    } catch (error) {
      this.env.abandon();
      throw openingError(error, this.env.file);
    }
    // From here on: before, a store that cannot be opened is closed again.
    this.checkpointer = new Checkpointer({
      file: this.env.file,
      sync: options.sync,
      finish: () => this.env.checkpoint(),
      onFault: (fault) => this.log('moving the log into the data file', fault),
    });
    this.records = new Records(this.env, this.catalog);
    this.scheduler = new Scheduler(this.env, this.catalog, options.report);
    this.cursors = new CursorTable(options.cursorIdleMs);
    const every = (ms: number, job: () => void): NodeJS.Timeout => setInterval(() => this.run(job), ms).unref();
    this.timers = [
      every(options.housekeepingMs, () => this.housekeeping()),
      every(options.ttlIntervalMs, () => this.expire()),
      every(LOG_LOOK_MS, () => this.boundLog()),
    ];
    this.collectGarbage();
  }

  /** A failed background job is retried by its timer and does not end the thread. */
  private run(job: () => void): void {
    try {
      job();
    } catch (error) {
      this.log('a background job', error);
    }
  }

  /** Logs each fault of a job once, however often it repeats. */
  private log(job: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (this.logged.get(job) === text) return;
    this.logged.set(job, text);
    process.stderr.write(`store: ${job}: ${text}\n`);
  }

  /** Deletes garbage in the background. */
  collectGarbage(): void {
    this.runInBackground('deleting dropped rows', () => collectGarbage(this, this.garbage));
  }

  /** One job per collection, so that a damaged one does not stop expiry in the others. */
  private expire(): void {
    for (const { id, db, name, indexes } of this.catalog.all())
      if (indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined))
        this.runInBackground(`expiry in ${db}.${name}`, () => removeExpired(this, id, Date.now()));
  }

  /** A pinned state keeps the log from shrinking: long reads must not fill the disk. */
  private boundLog(): void {
    if (this.env.logBytes() > LONG_LOG_BYTES) this.scheduler.releaseSnapshots();
  }

  private housekeeping(): void {
    this.cursors.closeIdle(performance.now());
    this.collectGarbage();
    this.runInBackground('shrinking the file', () => releaseEmptyPages(this));
    this.keeping = this.env.reserve.keep().catch((error: unknown) => this.log('keeping space in reserve', error));
  }

  private runInBackground(name: string, start: () => Task<unknown>): void {
    if (this.runningSweeps.has(name)) return;
    this.runningSweeps.add(name);
    this.scheduler.submit<unknown>({
      kind: 'write',
      timeSlice: new TimeSlice(),
      removes: true,
      start,
      settle: (outcome) => {
        this.runningSweeps.delete(name);
        // A failed run is repeated by the next timer; its work is recorded on disk.
        if (outcome.kind === 'failed') this.log(name, outcome.error);
        else this.logged.delete(name);
      },
    });
  }

  /** Waits for running operations, then closes the files. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    while (!this.scheduler.idle) await new Promise((resolve) => setImmediate(resolve));
    await this.keeping;
    await this.checkpointer?.close();
    this.env.close();
  }
}
