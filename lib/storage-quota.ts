import { type Cache, createCache } from './cache';
import { AppError } from './errors';
import { type PlanRefusal, planLimitReached } from './plan-limit';

const MEBIBYTE = 1_048_576;
/** How long a reading is valid while much space is left, and when little is left. */
const FAR_MS = 30_000;
const NEAR_MS = 1_000;
/** Little is left once this process alone has used this share of it. */
const NEAR_PART = 10;
const MAX_CACHED_TENANTS = 20_000;

/** Maximum unfinished uploads of a tenant, per service with uploads. */
const MAX_UNFINISHED_UPLOADS = 1_000;

/** @throws AppError rate_limited */
export function assertMayBeginUpload(unfinished: number): void {
  if (unfinished < MAX_UNFINISHED_UPLOADS) return;
  throw new AppError(
    'rate_limited',
    `The tenant has ${MAX_UNFINISHED_UPLOADS} unfinished uploads; finish them, or wait until abandoned ones are removed`,
    { retry_after: 60 },
  );
}

interface Reading {
  readonly bytes: number;
  readonly at: number;
  /** Bytes added by this process since the reading. */
  grown: number;
}

/**
 * Storage quota of a tenant. Usage is summed from its records, so it cannot drift; between readings each process adds
 * its own writes. Other processes' writes of the last 30 s, or of the last second when little is left, may exceed the
 * quota.
 */
export class StorageQuota {
  readonly #readings: Cache<Reading>;

  constructor(
    private readonly now: () => number,
    /** Bytes stored by a tenant, with the reservations of its unfinished uploads, from the records. */
    private readonly sum: (tenantId: string) => Promise<number>,
    private readonly refusal: Pick<PlanRefusal, 'limit' | 'remedy'>,
  ) {
    this.#readings = createCache({ max: MAX_CACHED_TENANTS, ttlMs: FAR_MS, now });
  }

  /** `limit` in mebibytes; null for none. @throws AppError quota_exceeded */
  async assertRoom(tenantId: string, grow: number, limit: number | null): Promise<void> {
    if (limit === null || grow <= 0) return;
    const max = limit * MEBIBYTE;
    const known = this.#readings.get(tenantId) ?? (await this.#read(tenantId));
    if (this.#fits(known, grow, max) && !this.#stale(known, max)) return;
    const fresh = this.now() - known.at < NEAR_MS ? known : await this.#read(tenantId);
    if (this.#fits(fresh, grow, max)) return;
    throw planLimitReached({ ...this.refusal, max: limit, excess: `${grow} more bytes do not fit` });
  }

  /** Adjusts the tenant's usage; negative when a reservation was released. */
  recordGrowth(tenantId: string, bytes: number): void {
    const known = this.#readings.get(tenantId);
    if (known !== undefined) known.grown += bytes;
  }

  /** Something of the tenant was deleted. */
  forget(tenantId: string): void {
    this.#readings.delete(tenantId);
  }

  #fits({ bytes, grown }: Reading, grow: number, max: number): boolean {
    return bytes + grown + grow <= max;
  }

  #stale({ bytes, grown, at }: Reading, max: number): boolean {
    return grown * NEAR_PART >= max - bytes && this.now() - at >= NEAR_MS;
  }

  async #read(tenantId: string): Promise<Reading> {
    const at = this.now();
    const reading = { bytes: await this.sum(tenantId), at, grown: 0 };
    this.#readings.set(tenantId, reading);
    return reading;
  }
}
