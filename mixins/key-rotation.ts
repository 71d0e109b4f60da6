import type { Model, QueryFilter } from 'mongoose';
import { errorCode, errorMessage } from '../lib/errors';
import { type NextRun, PeriodicTask } from '../lib/periodic';
import type { App } from '../services/app';
import type { ServiceContext } from './service';
import { mastersOf } from '../lib/master-key-record';
import { RotationProgress } from '../lib/rotation-progress';

const LOOK_EVERY_MS = 60_000;
/** When another process is at it, or something went wrong. */
const AGAIN_MS = 5_000;
const BATCH = 200;

/** What a record of a sealed collection has. */
interface SealedRecord {
  _id: string;
}

/** A collection with sealed values, and how a record of it gets under the newest key. */
interface SealedCollection<T extends SealedRecord> {
  readonly model: Model<T>;
  /** Where the id of the key stands; null or absent where nothing is sealed. Indexed. */
  readonly keyPath: string;
  /** What a new seal changes, the key's id included. A record in which one of them has changed meanwhile is left alone. */
  readonly fields: readonly (keyof T & string)[];
  /** Those fields under the newest key. @throws AppError sealed_unreadable */
  readonly reseal: (record: T) => Partial<T>;
}

/** A collection of whatever type among others. Its functions are called with its own records alone. */
export type AnySealedCollection = SealedCollection<SealedRecord>;
export const sealedCollection = <T extends SealedRecord>(collection: SealedCollection<T>): AnySealedCollection =>
  collection as unknown as AnySealedCollection;

interface Tally {
  resealed: number;
  unreadable: number;
}

/**
 * Brings what a service has under seal to the newest master key, in the background: at the start, and again every
 * minute, because a process of before the rotation may go on sealing under its key for a while.
 *
 * Invariants:
 *  R1  A record is changed by one write that names the sealed bytes it was made from: it is under one key or the other,
 *      never lost, and a newer value is never overwritten.
 *  R2  Only processes whose newest key is the one in use rotate, so that two never work against each other.
 *  R3  The lease saves work and nothing else: with two holders, one of them finds everything done.
 */
export class Rotation {
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
      intervalMs: LOOK_EVERY_MS,
      retryMs: AGAIN_MS,
      run: () => this.#rotateAll(),
      onError: (error) => this.#warn(error),
    });
  }

  /** Begins without waiting for anything: the service serves meanwhile. */
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
    if (!isFinished) return { inMs: AGAIN_MS };
  }

  #warn(error: unknown): void {
    this.#context?.log.warn(`Sealed values could not be read: ${errorMessage(error)}`, error);
  }

  /** True when nothing is left to do here. */
  async #rotate(collection: AnySealedCollection): Promise<boolean> {
    const name = collection.model.collection.name;
    const { newestId } = this.app.keyring;
    const known = await this.#progress.of(name);
    const left = await countStale(collection, newestId);
    // What cannot be opened stays as it is; there is no use in trying it each minute.
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

  /** Goes through all that is under other keys, in the order of ids. */
  async #walk(name: string, collection: AnySealedCollection, left: number): Promise<boolean> {
    const { newestId } = this.app.keyring;
    if (left > 0) this.#context?.log.info(`${name}: ${left} values are to be sealed under the master key ${newestId}`);
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
      const toGo = Math.max(0, left - tally.resealed);
      if (!(await this.#progress.note(name, tally, toGo, this.app.clock.now()))) return false;
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
      this.#context?.log.info(`${name}: ${tally.resealed} values are under the newest master key`);
    if (tally.unreadable > 0) {
      this.#context?.log.warn(
        `${name}: ${tally.unreadable} values cannot be opened; if their key is not lost, add it to MASTER_KEY_PREVIOUS`,
      );
    }
  }
}

const stale = ({ keyPath }: AnySealedCollection, newestId: string): QueryFilter<SealedRecord> => ({
  [keyPath]: { $nin: [newestId, null] },
});

/**
 * How many values are under other keys. By the texts on both sides of the newest key: for "none of these" the built-in store
 * would look at every record, each minute.
 */
const countStale = ({ model, keyPath }: AnySealedCollection, newestId: string): Promise<number> =>
  model.countDocuments({ $or: [{ [keyPath]: { $gt: '', $lt: newestId } }, { [keyPath]: { $gt: newestId } }] }).exec();
