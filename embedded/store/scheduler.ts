import { performance } from 'node:perf_hooks';
import { ServerError } from '../bson/error';
import type { Catalog } from './catalog';
import type { Environment, Snapshot } from './environment';
import type { Reader } from './scan';
import type { Pace, Task } from './task';

/** What became of an operation. */
export type Outcome<T> = { kind: 'done'; value: T } | { kind: 'failed'; error: ServerError };

/** A piece of work for the scheduler; `settle` is called exactly once, for a write only after its commit is on disk. */
export interface Operation<T> {
  readonly kind: 'read' | 'write';
  readonly pace: Pace;
  start(reader: Reader): Task<T>;
  settle(outcome: Outcome<T>): void;
}

/** Longest uninterrupted run of one operation in milliseconds. */
const SLICE_MS = 4;
/** After this long in one turn the remaining writers wait for the next transaction. */
const TURN_MS = 15;

/** What the owner of the store must know: it cannot write for now (the disk is full), or never again. */
export interface Trouble {
  readonly kind: 'full' | 'closed';
  readonly error: Error;
}

interface Running<T> {
  readonly operation: Operation<T>;
  readonly task: Task<T>;
  readonly snapshot: Snapshot;
  /** Not resumed in an earlier turn: it can be run again from the start. */
  fresh: boolean;
}

/** A fault inside a task that is no answer of the server: the transaction around it is not to be trusted. */
class TaskFault extends Error {}

/**
 * Runs operations on the one thread that owns the store.
 *
 * S1  All writes that arrived in one turn of the event loop share one transaction and so one fsync (group commit).
 *     Their replies leave after it. A crash before the commit loses only writes that nobody was told of.
 * S2  Reads run at once on the last commit, never inside the write transaction, so they see nothing uncommitted. A read
 *     that yields pins its snapshot until its batch is complete, or until the log has grown too long (`releaseSnapshots`).
 * S3  A refused write (ServerError) leaves no trace by R1, so its neighbours commit. Any other fault aborts the whole
 *     transaction; memory is read back from disk and the writers are run again, each alone, so the fault hits one.
 * S4  A full disk refuses the writes (14031) until there is room, and is reported once. When the commit fails for another
 *     reason the state of the file is unknown: from then on every write is refused, and that is reported.
 */
export class Scheduler {
  private readonly readers: Running<unknown>[] = [];
  private writers: Running<unknown>[] = [];
  private armed: NodeJS.Immediate | undefined;
  private broken: Error | undefined;
  private full = false;

  constructor(
    private readonly env: Environment,
    private readonly catalog: Catalog,
    private readonly report: (trouble: Trouble) => void,
  ) {}

  submit<T>(operation: Operation<T>): void {
    const running = this.prepare(operation) as Running<unknown>;
    if (operation.kind === 'write') {
      this.writers.push(running);
      this.arm();
    } else this.read(running);
  }

  /** True when nothing is waiting or under way. */
  get idle(): boolean {
    return this.readers.length === 0 && this.writers.length === 0;
  }

  /** Takes the snapshots from reads that yielded: they go on by key over the state of now, as MongoDB's do at a yield. */
  releaseSnapshots(): void {
    for (const { snapshot } of this.readers) {
      this.release(snapshot);
      snapshot.moved = true;
    }
  }

  private prepare<T>(operation: Operation<T>): Running<T> {
    const snapshot: Snapshot = {};
    return { operation, snapshot, task: operation.start({ snapshot, pace: operation.pace }), fresh: true };
  }

  private arm(): void {
    this.armed ??= setImmediate(() => {
      this.armed = undefined;
      this.turn();
      if (!this.idle) this.arm();
    });
  }

  private turn(): void {
    if (this.writers.length > 0) this.commit(this.writers.splice(0));
    for (const running of this.readers.splice(0)) this.read(running);
  }

  private read(running: Running<unknown>): void {
    let outcome: Outcome<unknown> | undefined;
    try {
      outcome = step(running);
    } catch (fault) {
      outcome = { kind: 'failed', error: internal(fault) };
    }
    if (outcome === undefined) {
      this.hold(running.snapshot);
      this.readers.push(running);
      this.arm();
      return;
    }
    this.release(running.snapshot);
    running.operation.settle(outcome);
  }

  private hold(snapshot: Snapshot): void {
    if (snapshot.moved === true) return;
    snapshot.pin ??= this.env.pin();
    if (snapshot.pin === undefined) snapshot.moved = true;
  }

  private release(snapshot: Snapshot): void {
    if (snapshot.pin !== undefined) this.env.unpin(snapshot.pin);
    snapshot.pin = undefined;
  }

  private commit(batch: readonly Running<unknown>[]): void {
    if (this.broken !== undefined) {
      const error = new ServerError('InternalError', `the store is closed for writes: ${this.broken.message}`);
      for (const { operation } of batch) operation.settle({ kind: 'failed', error });
      return;
    }
    const settled: [Running<unknown>, Outcome<unknown>][] = [];
    const waiting: Running<unknown>[] = [];
    const again = new Set(batch.filter(({ fresh }) => fresh));
    try {
      this.env.write(() => this.runBatch(batch, settled, waiting));
    } catch (fault) {
      return this.recover(batch, again, fault);
    }
    this.full = false;
    this.writers.unshift(...waiting);
    for (const [{ operation }, outcome] of settled) operation.settle(outcome);
  }

  private runBatch(
    batch: readonly Running<unknown>[],
    settled: [Running<unknown>, Outcome<unknown>][],
    waiting: Running<unknown>[],
  ): void {
    const turnEndsAt = performance.now() + TURN_MS;
    for (const running of batch) {
      if (settled.length + waiting.length > 0 && performance.now() > turnEndsAt) {
        waiting.push(running);
        continue;
      }
      const outcome = step(running);
      if (outcome === undefined) waiting.push(running);
      else settled.push([running, outcome]);
    }
    this.catalog.flush();
  }

  /** S3, S4: the transaction is gone and with it all that its writers did in this turn. */
  private recover(batch: readonly Running<unknown>[], again: ReadonlySet<Running<unknown>>, fault: unknown): void {
    this.catalog.reload();
    const full = isFull(fault, this.env);
    if (full) {
      if (!this.full) this.report({ kind: 'full', error: fault as Error });
      this.full = true;
    } else if (isFatal(fault)) {
      this.broken = fault as Error;
      this.report({ kind: 'closed', error: this.broken });
    }
    const [first] = batch;
    if (batch.length === 1 && first !== undefined)
      return first.operation.settle({ kind: 'failed', error: internal(fault, full) });
    for (const running of batch) {
      // What a task did in earlier turns is committed while this turn's part is undone: it cannot go on.
      if (!again.has(running)) running.operation.settle({ kind: 'failed', error: internal(fault, full) });
      else this.commit([this.prepare(running.operation)]);
    }
  }
}

function step(running: Running<unknown>): Outcome<unknown> | undefined {
  try {
    running.operation.pace.resume(SLICE_MS);
    const result = running.task.next();
    if (result.done === true) return { kind: 'done', value: result.value };
    running.fresh = false;
    return undefined;
  } catch (error) {
    if (error instanceof ServerError) return { kind: 'failed', error };
    throw new TaskFault('a task failed', { cause: error });
  }
}

/** Result codes of SQLite (https://www.sqlite.org/rescode.html); the low byte of an extended code. */
const SQLITE = { ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** A disk that fills may fail a sync instead of a write; then this little is left at most. */
const NEARLY_FULL_BYTES = 64 * 1024 * 1024;

const cause = (fault: unknown): unknown => (fault instanceof TaskFault ? fault.cause : fault);

function resultCode(fault: unknown): number | undefined {
  const error = cause(fault);
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function isFull(fault: unknown, env: Environment): boolean {
  const code = resultCode(fault);
  // Nothing is lost by going on: what a failed commit left in the log is behind its end, and is written over.
  return code === SQLITE.full || (code === SQLITE.ioError && env.freeBytes() < NEARLY_FULL_BYTES);
}

/** A failed commit, as opposed to a failed task; or a file that is found damaged, which writing could make worse. */
function isFatal(fault: unknown): boolean {
  const code = resultCode(fault);
  return !(fault instanceof TaskFault) || code === SQLITE.corrupt || code === SQLITE.notADatabase;
}

function internal(fault: unknown, full = false): ServerError {
  const error = cause(fault);
  if (full) return new ServerError('OutOfDiskSpace', 'no space left on the disk for this write');
  return new ServerError('InternalError', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
