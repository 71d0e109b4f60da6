import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../lib/duplicate-key';

const LEASE_MS = 10_000;

/** Name of the collection that holds the records. */
export const PROGRESS_RECORDS = 'key_rotations';

/** How far the values of one collection are under the master key in use. */
export interface ProgressRecord {
  readonly _id: string;
  /** The key that they are brought to. */
  readonly key_id: string;
  /** Values under other keys, when last looked at. */
  readonly left: number;
  readonly resealed: number;
  /** Of those left: values whose key is not known, or that are damaged. */
  readonly unreadable: number;
  readonly updated_at: Date;
  readonly finished_at: Date | null;
  readonly holder: string | null;
  readonly lease_until: Date;
}

/** Records of rotations, one a collection; each is also the lease by which one process at a time works on it. */
export class RotationProgress {
  constructor(
    private readonly db: Connection,
    private readonly holder: string,
  ) {}

  of(name: string): Promise<ProgressRecord | null> {
    return this.#records.findOne({ _id: name });
  }

  all(): Promise<ProgressRecord[]> {
    return this.#records.find({}).sort({ _id: 1 }).toArray();
  }

  /** Takes the lease; false while another process has it, unless there can be no other (`alone`). */
  async begin(name: string, keyId: string, left: number, now: number, alone: boolean): Promise<boolean> {
    const fresh = { key_id: keyId, left, resealed: 0, unreadable: 0, finished_at: null };
    try {
      const { matchedCount, upsertedCount } = await this.#records.updateOne(
        alone
          ? { _id: name }
          : { _id: name, $or: [{ holder: { $in: [null, this.holder] } }, { lease_until: { $lte: new Date(now) } }] },
        { $set: { ...fresh, ...this.#lease(now) } },
        { upsert: true },
      );
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      // The filter excludes the record of another holder, so the upsert tries to make a second one.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Tells how far it is, and keeps the lease; false when it was lost. */
  async note(name: string, tally: { resealed: number; unreadable: number }, left: number, now: number) {
    const change = { $set: { ...tally, left, ...this.#lease(now) } };
    return (await this.#records.updateOne({ _id: name, holder: this.holder }, change)).matchedCount === 1;
  }

  /** Gives the lease back before everything was looked at. */
  async release(name: string): Promise<void> {
    await this.#records.updateOne({ _id: name, holder: this.holder }, { $set: { holder: null } });
  }

  /** Tells that everything was looked at, and gives the lease back. */
  async finish(name: string, tally: { resealed: number; unreadable: number }, left: number, now: number) {
    const at = new Date(now);
    const change = { $set: { ...tally, left, updated_at: at, finished_at: at, holder: null } };
    await this.#records.updateOne({ _id: name, holder: this.holder }, change);
  }

  #lease(now: number) {
    return { holder: this.holder, lease_until: new Date(now + LEASE_MS), updated_at: new Date(now) };
  }

  get #records() {
    return this.db.collection<ProgressRecord>(PROGRESS_RECORDS);
  }
}
