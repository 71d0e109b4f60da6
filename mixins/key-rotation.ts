import type { Model, QueryFilter } from 'mongoose';
import { errorCode, errorMessage } from '../lib/errors';
import { type NextRun, PeriodicTask } from '../lib/periodic';
import type { App } from '../services/app';
import type { ServiceContext } from './service';
import { mastersOf } from '../lib/master-key-record';
import { RotationProgress } from '../lib/rotation-progress';

const INTERVAL_MS = 60_000;
/** After an error, and while another process has the lease. */
const RETRY_MS = 5_000;
const BATCH = 200;

interface SealedRecord {
  _id: string;
}

/** A collection with encrypted values, and how to encrypt a record with the newest key. */
interface SealedCollection<T extends SealedRecord> {
  readonly model: Model<T>;
  /** Indexed path of the key's id; null or absent in records without an encrypted value. */
  readonly keyPath: string;
  /** The fields that change, including the key's id. A record in which one has changed concurrently is skipped. */
  readonly fields: readonly (keyof T & string)[];
  /** These fields, encrypted with the newest key. @throws AppError sealed_unreadable */
  readonly reseal: (record: T) => Partial<T>;
}

/** A collection of any type. Its functions are only called with its own records. */
export type AnySealedCollection = SealedCollection<SealedRecord>;
export const sealedCollection = <T extends SealedRecord>(collection: SealedCollection<T>): AnySealedCollection =>
  collection as unknown as AnySealedCollection;

interface Tally {
  resealed: number;
  unreadable: number;
}

/**
 * Encrypts a service's values with the newest master key, in the background: at the start and every minute, because a
 * process that started before the rotation may still encrypt with its key.
 *
 * Invariants:
 *  R1  A record changes by compare-and-swap on its encrypted bytes, so no value is lost and no newer value is overwritten.
 *  R2  Only processes whose newest key is the installation's newest key rotate, so that two processes never alternate keys.
 *  R3  The lease only saves work: with two holders, one of them finds nothing left to do.
 */
export class KeyRotation {
  readonly #progress: RotationProgress;
  #context: ServiceContext | null = null;
  readonly #task: PeriodicTask;

  constructor(
    private readonly app: App,
    private readonly collections: readonly AnySealedCollection[],
  ) {
    this.#progress = new RotationProgress(app.db, app.nodeId);
    this.#task = new PeriodicTask({
      clock: app.clock,
      intervalMs: INTERVAL_MS,
      retryMs: RETRY_MS,
      run: () => this.#rotateAll(),
      onError: (error) => this.#warn(error),
    });
  }

  /** Starts in the background. */
  start(context: ServiceContext): void {
    this.#context = context;
    this.#task.trigger();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #rotateAll(): Promise<NextRun | void> {
    let isFinished = true;
    for (const collection of this.collections) {
      if (this.#task.isStopped) return;
      const isDone = await this.#rotate(collection).catch((error: unknown) => {
        this.#warn(error);
        return false;
      });
      isFinished &&= isDone;
    }
    if (!isFinished) return { inMs: RETRY_MS };
  }

  #warn(error: unknown): void {
    this.#context?.log.warn(`Key rotation failed: ${errorMessage(error)}`, error);
  }

  /** True when nothing is left to do. */
  async #rotate(collection: AnySealedCollection): Promise<boolean> {
    const name = collection.model.collection.name;
    const { newestId } = this.app.keyring;
    const known = await this.#progress.of(name);
    const left = await countStale(collection, newestId);
    // Values that cannot be decrypted are not tried again every minute.
    if (known?.key_id === newestId && known.finished_at !== null && left === known.unreadable) return true;
    if ((await mastersOf(this.app.db)).at(-1)?.id !== newestId) return true;
    const { clock, exclusive } = this.app;
    if (!(await this.#progress.begin(name, newestId, left, clock.now(), exclusive))) return false;
    try {
      return await this.#walk(name, collection, left);
    } catch (fault) {
      await this.#progress.release(name);
      throw fault;
    }
  }

  /** Re-encrypts all records with other keys, in the order of ids. */
  async #walk(name: string, collection: AnySealedCollection, left: number): Promise<boolean> {
    const { newestId } = this.app.keyring;
    if (left > 0) this.#context?.log.info(`${name}: encrypting ${left} values with the master key ${newestId}`);
    const tally: Tally = { resealed: 0, unreadable: 0 };
    for (let after = ''; ; ) {
      const batch = await collection.model
        .find({ ...stale(collection, newestId), _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(BATCH)
        .lean()
        .exec();
      if (batch.length > 0) await this.#reseal(collection, batch, tally);
      after = batch.at(-1)?._id ?? after;
      if (this.#task.isStopped) {
        await this.#progress.release(name);
        return false;
      }
      if (batch.length < BATCH) break;
      const remaining = Math.max(0, left - tally.resealed);
      if (!(await this.#progress.note(name, tally, remaining, this.app.clock.now()))) return false;
    }
    await this.#finish(name, collection, tally);
    return true;
  }

  async #reseal(collection: AnySealedCollection, batch: readonly SealedRecord[], tally: Tally) {
    const writes = batch.flatMap((record) => {
      try {
        const seen = Object.fromEntries(collection.fields.map((field) => [field, record[field]]));
        return [{ updateOne: { filter: { _id: record._id, ...seen }, update: { $set: collection.reseal(record) } } }];
      } catch (fault) {
        if (errorCode(fault) !== 'sealed_unreadable') throw fault;
        tally.unreadable += 1;
        return [];
      }
    });
    if (writes.length === 0) return;
    const { modifiedCount } = await collection.model.bulkWrite(writes, { ordered: false });
    tally.resealed += modifiedCount;
  }

  async #finish(name: string, collection: AnySealedCollection, tally: Tally): Promise<void> {
    const left = await countStale(collection, this.app.keyring.newestId);
    await this.#progress.finish(name, tally, left, this.app.clock.now());
    if (tally.resealed > 0)
      this.#context?.log.info(`${name}: ${tally.resealed} values encrypted with the newest master key`);
    if (tally.unreadable > 0)
      this.#context?.log.warn(
        `${name}: ${tally.unreadable} values cannot be decrypted; if you have their key, add it to MASTER_KEY_PREVIOUS`,
      );
  }
}

const stale = ({ keyPath }: AnySealedCollection, newestId: string): QueryFilter<SealedRecord> => ({
  [keyPath]: { $nin: [newestId, null] },
});

/**
 * Number of values with other keys. Uses two ranges, because the built-in store would scan all records for `$nin` each
 * minute.
 */
const countStale = ({ model, keyPath }: AnySealedCollection, newestId: string): Promise<number> =>
  model.countDocuments({ $or: [{ [keyPath]: { $gt: '', $lt: newestId } }, { [keyPath]: { $gt: newestId } }] }).exec();
