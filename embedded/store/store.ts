import { performance } from 'node:perf_hooks';
import { Catalog } from './catalog';
import { CursorTable } from './cursors';
import { Environment } from './environment';
import { dropUnfinished } from './index-build';
import { Records } from './records';
import { Scheduler, type Trouble } from './scheduler';
import { sweepEmptyPages, sweepExpired, sweepGarbage } from './sweeps';
import { Pace, type Task } from './task';

export interface StoreOptions {
  readonly dir: string;
  /** False only in tests: commits then survive the process but not the machine. */
  readonly sync: boolean;
  /** Milliseconds between two looks for expired documents. */
  readonly ttlSweepMs: number;
  /** Milliseconds after which an unread cursor is closed. */
  readonly cursorIdleMs: number;
  /** Told when the store cannot write, for now or any more. */
  report(trouble: Trouble): void;
}

/** Milliseconds between two looks for idle cursors and rows of dropped collections. */
const HOUSEKEEPING_MS = 10_000;

/** Milliseconds between two looks at the log, and the length at which it takes precedence over the snapshots of reads. */
const LOG_LOOK_MS = 1_000;
const LONG_LOG_BYTES = 256 * 1024 * 1024;

/** The opened store: files, catalogue, records, scheduler and cursors, with their housekeeping. */
export class Store {
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly records: Records;
  readonly scheduler: Scheduler;
  readonly cursors: CursorTable;
  private readonly timers: NodeJS.Timeout[];
  private readonly sweeping = new Set<string>();

  constructor(options: StoreOptions) {
    this.env = Environment.open(options.dir, options.sync);
    this.catalog = new Catalog(this.env);
    this.env.write(() => {
      dropUnfinished(this.catalog);
      this.catalog.flush();
    });
    this.records = new Records(this.env, this.catalog);
    this.scheduler = new Scheduler(this.env, this.catalog, options.report);
    this.cursors = new CursorTable(options.cursorIdleMs);
    this.timers = [
      setInterval(() => this.housekeeping(), HOUSEKEEPING_MS).unref(),
      setInterval(() => this.expire(), options.ttlSweepMs).unref(),
      setInterval(() => this.boundLog(), LOG_LOOK_MS).unref(),
    ];
    this.collectGarbage();
  }

  /** Deletes rows of what was dropped, in the background. */
  collectGarbage(): void {
    this.sweep('garbage', () => sweepGarbage(this));
  }

  private expire(): void {
    this.sweep('expiry', () => sweepExpired(this, Date.now()));
  }

  /** A log with an old state in it cannot be emptied: reads that take long must not fill the disk. */
  private boundLog(): void {
    if (this.env.logBytes() > LONG_LOG_BYTES) this.scheduler.releaseSnapshots();
  }

  private housekeeping(): void {
    this.cursors.closeIdle(performance.now());
    this.collectGarbage();
    this.sweep('shrink', () => sweepEmptyPages(this));
  }

  private sweep(name: string, start: () => Task<unknown>): void {
    if (this.sweeping.has(name)) return;
    this.sweeping.add(name);
    this.scheduler.submit<unknown>({
      kind: 'write',
      pace: new Pace(),
      start,
      settle: (outcome) => {
        this.sweeping.delete(name);
        // A failed sweep is repeated by the next timer; what it has to do is on disk.
        if (outcome.kind === 'failed') process.stderr.write(`store: ${name} sweep: ${outcome.error.message}\n`);
      },
    });
  }

  /** Waits for the work under way, then closes the files. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    while (!this.scheduler.idle) await new Promise((resolve) => setImmediate(resolve));
    this.env.close();
  }
}
