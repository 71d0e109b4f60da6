import { Cache } from '../lib/cache';
import { AppError } from '../lib/errors';

const MEBIBYTE = 1_048_576;
/** A reading is good for this long while there is much left, and for this long when there is not. */
const FAR_MS = 30_000;
const NEAR_MS = 1_000;
/** It is near when this process alone has used up such a part of what was left. */
const NEAR_PART = 10;
const MOST_TENANTS = 20_000;

interface Reading {
  readonly bytes: number;
  readonly at: number;
  /** What was added since, by this process. */
  grown: number;
}

/**
 * Whether a tenant may keep more. What he keeps is summed up from its records, so it cannot drift; between
 * two readings each process adds its own. Another process may so let in what is written elsewhere in half a minute, or
 * in a second once there is little left.
 */
export class StorageQuota {
  readonly #readings: Cache<Reading>;

  constructor(
    private readonly now: () => number,
    /** The bytes of all that a tenant keeps, from the records. */
    private readonly sum: (tenantId: string) => Promise<number>,
    /** What he is told who has no room: of so many mebibytes in all, for so many bytes more. */
    private readonly refusal: (limit: number, grow: number) => string,
  ) {
    this.#readings = new Cache({ max: MOST_TENANTS, ttlMs: FAR_MS, now });
  }

  /** `limit` in mebibytes; null for none. @throws AppError quota_exceeded */
  async assertRoom(tenantId: string, grow: number, limit: number | null): Promise<void> {
    if (limit === null || grow <= 0) return;
    const most = limit * MEBIBYTE;
    const known = this.#readings.get(tenantId) ?? (await this.#read(tenantId));
    if (this.#fits(known, grow, most) && !this.#stale(known, most)) return;
    const fresh = this.now() - known.at < NEAR_MS ? known : await this.#read(tenantId);
    if (this.#fits(fresh, grow, most)) return;
    throw new AppError('quota_exceeded', this.refusal(limit, grow));
  }

  /** Something is kept that is by so many bytes larger than what it has replaced. */
  grown(tenantId: string, bytes: number): void {
    const known = this.#readings.get(tenantId);
    if (known !== undefined) known.grown += bytes;
  }

  /** Something of the tenant was removed. */
  forget(tenantId: string): void {
    this.#readings.delete(tenantId);
  }

  #fits({ bytes, grown }: Reading, grow: number, most: number): boolean {
    return bytes + grown + grow <= most;
  }

  #stale({ bytes, grown, at }: Reading, most: number): boolean {
    return grown * NEAR_PART >= most - bytes && this.now() - at >= NEAR_MS;
  }

  async #read(tenantId: string): Promise<Reading> {
    const at = this.now();
    const reading = { bytes: await this.sum(tenantId), at, grown: 0 };
    this.#readings.set(tenantId, reading);
    return reading;
  }
}
