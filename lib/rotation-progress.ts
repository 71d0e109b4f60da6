import type { Connection } from 'mongoose';
import { isDuplicateKey } from './duplicate-key';

const LEASE_MS = 10_000;

/** Collection of the records. */
export const PROGRESS_RECORDS = 'key_rotations';

/** Progress of re-encrypting one collection with the current master key. */
export interface ProgressRecord {
  readonly _id: string;
  /** The target key. */
  readonly key_id: string;
  /** Values encrypted with other keys, at the last count. */
  readonly left: number;
  readonly resealed: number;
  /** Of those: values with an unknown key, or damaged. */
  readonly unreadable: number;
  readonly updated_at: Date;
  readonly finished_at: Date | null;
  readonly holder: string | null;
  readonly lease_until: Date;
}

/** Records of rotations, one per collection. Each is also the lease by which one process at a time works on it. */
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

  /** Takes the lease; false while another process holds it, unless this is the only process (`alone`). */
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
      // The filter excludes another holder's record, so the upsert would insert a second one and fails.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Stores the progress and renews the lease; false when it was lost. */
  async note(name: string, tally: { resealed: number; unreadable: number }, left: number, now: number) {
    const change = { $set: { ...tally, left, ...this.#lease(now) } };
    return (await this.#records.updateOne({ _id: name, holder: this.holder }, change)).matchedCount === 1;
  }

  /** Releases the lease before the end. */
  async release(name: string): Promise<void> {
    await this.#records.updateOne({ _id: name, holder: this.holder }, { $set: { holder: null } });
  }

  /** Stores the completion and releases the lease. */
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
