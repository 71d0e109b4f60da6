import { performance } from 'node:perf_hooks';
import { ServerError } from '../bson/error';
import type { Catalog } from './catalog';
import { StoreError } from './data-file';
import { DamageError, resultCode, SQLITE, textOf } from './damage';
import type { Environment, Snapshot } from './environment';
import { isFull, ROOM_BYTES } from './reserve';
import type { Reader } from './scan';
import type { TimeSlice, Task } from './task';

/** Outcome of an operation. */
export type Outcome<T> = { kind: 'done'; value: T } | { kind: 'failed'; error: ServerError };

/** An operation; `settle` is called exactly once, for a write only after its commit is on disk. */
interface Operation<T> {
  readonly kind: 'read' | 'write';
  readonly timeSlice: TimeSlice;
  /** A write that only deletes: it also runs on a full disk. */
  readonly removes?: boolean;
  start(reader: Reader): Task<T>;
  settle(outcome: Outcome<T>): void;
}

/** Maximum uninterrupted run of one operation in milliseconds. */
const MAX_SLICE_MS = 4;
/** After this long in a turn, the remaining writers wait for the next transaction. */
const MAX_TURN_MS = 15;

/** A fault that the store's owner must know: writes fail for now (full disk), or permanently. */
export interface StoreFault {
  readonly kind: 'full' | 'closed';
  readonly error: Error;
}

interface Running<T> {
  readonly operation: Operation<T>;
  readonly task: Task<T>;
  readonly snapshot: Snapshot;
  /** Not resumed yet: it can be restarted from the beginning. */
  fresh: boolean;
}

/** An unexpected error inside a task: the transaction around it cannot be trusted. */
class TaskFault extends Error {}

/**
 * Runs operations on the one thread that owns the store.
 *
 * S1 All writes that arrive in one turn of the event loop share one transaction and one fsync (group commit). Replies
 *   are sent after it. A crash before the commit loses only unacknowledged writes.
 * S2 Reads run at once on the last commit, never inside the write transaction. A read that yields pins its snapshot
 *   until its batch is complete, or until the log has grown too long (`releaseSnapshots`).
 * S3 A rejected write (ServerError) leaves no trace by R1, so the other writes commit. Any other fault aborts the
 *   whole transaction; memory is reloaded and the writers run again, each alone, so that only one fails.
 * S4 On a full disk writes fail (14031) until space is free, which is reported once; deletes use the space of the
 *   reserve. When the commit fails for another reason the state of the file is unknown: every later write fails, which
 *   is reported.
 * S5 Damage in the file fails only the operation that hits it. No operation or callback ends the thread.
 */
export class Scheduler {
  private readonly readers: Running<unknown>[] = [];
  private writers: Running<unknown>[] = [];
  private armed: NodeJS.Immediate | undefined;
  private broken: Error | undefined;
  private full: boolean;

  constructor(
    private readonly env: Environment,
    private readonly catalog: Catalog,
    private readonly report: (fault: StoreFault) => void,
  ) {
    this.full = env.reserve.released;
  }

  submit<T>(operation: Operation<T>): void {
    const running = this.prepare(operation) as Running<unknown>;
    if (operation.kind === 'write') {
      this.writers.push(running);
      this.arm();
    } else this.read(running);
  }

  /** True when no operation is queued or running. */
  get idle(): boolean {
    return this.readers.length === 0 && this.writers.length === 0;
  }

  /** Releases the snapshots of reads that yielded: they continue by key on the current state, as MongoDB's do. */
  releaseSnapshots(): void {
    for (const { snapshot } of this.readers) {
      this.release(snapshot);
      snapshot.moved = true;
    }
  }

  private prepare<T>(operation: Operation<T>): Running<T> {
    const snapshot: Snapshot = {};
    return { operation, snapshot, task: started(operation, { snapshot, timeSlice: operation.timeSlice }), fresh: true };
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
    const readers = this.readers.splice(0);
    const turnEndsAt = performance.now() + MAX_TURN_MS;
    for (const [index, running] of readers.entries()) {
      // Newly arrived operations run in between, however many reads are queued.
      if (index > 0 && performance.now() > turnEndsAt) return void this.readers.unshift(...readers.slice(index));
      this.read(running);
    }
  }

  private read(running: Running<unknown>): void {
    let outcome: Outcome<unknown> | undefined;
    try {
      outcome = step(running);
      if (outcome === undefined) this.hold(running.snapshot);
    } catch (fault) {
      outcome = this.failed(fault);
    }
    if (outcome === undefined) {
      this.readers.push(running);
      this.arm();
      return;
    }
    this.release(running.snapshot);
    settle(running, outcome);
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

  private commit(given: readonly Running<unknown>[]): void {
    const batch = this.admitted(given);
    if (batch.length === 0) return;
    const settled: [Running<unknown>, Outcome<unknown>][] = [];
    const waiting: Running<unknown>[] = [];
    const again = new Set(batch.filter(({ fresh }) => fresh));
    try {
      this.env.write(() => this.runBatch(batch, settled, waiting));
    } catch (fault) {
      return this.recover(batch, again, fault);
    }
    if (this.full && this.env.hasRoom()) this.full = false;
    this.writers.unshift(...waiting);
    for (const [running, outcome] of settled) settle(running, outcome);
  }

  /** The writes that can run now; the others fail. */
  private admitted(batch: readonly Running<unknown>[]): readonly Running<unknown>[] {
    const { broken } = this;
    const blocked = this.full && !this.env.hasRoom();
    if (broken === undefined && !blocked) return batch;
    const error = broken === undefined ? outOfSpace(this.env) : new ServerError('InternalError', broken.message);
    const admits = ({ operation }: Running<unknown>): boolean => broken === undefined && operation.removes === true;
    for (const running of batch) if (!admits(running)) settle(running, failure(error));
    return batch.filter(admits);
  }

  private runBatch(
    batch: readonly Running<unknown>[],
    settled: [Running<unknown>, Outcome<unknown>][],
    waiting: Running<unknown>[],
  ): void {
    const turnEndsAt = performance.now() + MAX_TURN_MS;
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

  /** S3, S4: the transaction and all changes of its writers in this turn are rolled back. */
  private recover(batch: readonly Running<unknown>[], again: ReadonlySet<Running<unknown>>, fault: unknown): void {
    const full = isFull(cause(fault), this.env.dir);
    const released = full && this.env.reserve.release();
    if (full && !this.full) this.report({ kind: 'full', error: outOfSpace(this.env, fault) });
    this.full ||= full;
    if (!full && isFatal(fault)) this.close(fault);
    try {
      this.catalog.reload();
    } catch (unreadable) {
      this.close(unreadable);
    }
    const outcome = full ? failure(outOfSpace(this.env)) : this.failed(fault);
    for (const running of batch) {
      // The task's earlier turns are committed and this turn is rolled back: it cannot continue.
      const repeat = again.has(running) && (batch.length > 1 || (released && running.operation.removes === true));
      if (repeat) this.commit([this.prepare(running.operation)]);
      else settle(running, outcome);
    }
  }

  private close(fault: unknown): void {
    if (this.broken !== undefined) return;
    this.broken = new StoreError('refused', `${this.env.file} is closed for writes: ${textOf(fault)}`, {
      cause: fault,
    });
    this.report({ kind: 'closed', error: this.broken });
  }

  private failed(fault: unknown): Outcome<never> {
    const error = cause(fault);
    if (error instanceof DamageError) return failure(damaged(error, this.env, this.catalog));
    return failure(
      new ServerError('InternalError', error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
  }
}

const failure = (error: ServerError): Outcome<never> => ({ kind: 'failed', error });

function outOfSpace({ dir }: Environment, fault?: unknown): ServerError {
  const room = ROOM_BYTES / 1024 ** 2;
  const error = new ServerError(
    'OutOfDiskSpace',
    `no space left on the disk of ${dir}: free at least ${room} MiB there; until then the store only deletes`,
  );
  return fault === undefined ? error : Object.assign(error, { cause: fault });
}

const damaged = (error: DamageError, { file }: Environment, catalog: Catalog): ServerError =>
  new ServerError(
    'DataCorruptionDetected',
    `${file} is damaged: ${catalog.describe(error.table, error.id)}: ${error.message}. Run "npm run doctor", and restore a backup: docs/backup.md`,
  );

/** Starting an operation may fail, too, so it is part of the task. */
function* started<T>(operation: Operation<T>, reader: Reader): Task<T> {
  return yield* operation.start(reader);
}

/** An error of a callback must not end the thread or block other outcomes. */
function settle({ operation }: Running<unknown>, outcome: Outcome<unknown>): void {
  try {
    operation.settle(outcome);
  } catch (fault) {
    process.stderr.write(`store: a callback failed: ${String(fault)}\n`);
  }
}

function step(running: Running<unknown>): Outcome<unknown> | undefined {
  try {
    running.operation.timeSlice.resume(MAX_SLICE_MS);
    const result = running.task.next();
    if (result.done === true) return { kind: 'done', value: result.value };
    running.fresh = false;
    return undefined;
  } catch (error) {
    if (error instanceof ServerError) return { kind: 'failed', error };
    throw new TaskFault('a task failed', { cause: error });
  }
}

const cause = (fault: unknown): unknown => (fault instanceof TaskFault ? fault.cause : fault);

/** A failed commit. Failed tasks and damage are rolled back, and the next write may succeed. */
function isFatal(fault: unknown): boolean {
  const code = resultCode(fault);
  return !(fault instanceof TaskFault || fault instanceof DamageError || code === SQLITE.corrupt);
}
