import { Lanes } from '../../lib/lanes';
import { ReadThrough } from '../../lib/read-through';
import { StorageQuota } from '../../mixins/storage-quota';

const LIMITS_TTL_MS = 5_000;
const LIMITS_CACHED = 20_000;

interface RoomParts {
  readonly now: () => number;
  /** Bytes of all that a tenant keeps, from the records. */
  readonly sum: (tenantId: string) => Promise<number>;
  /** Mebibytes that his plan lets him keep; null for any number. */
  readonly limit: (tenantId: string) => Promise<number | null>;
}

/** How much tenants may keep in their bases. Of each, one thing is looked at after the other, so that it knows of those before it. */
export class Room {
  readonly #lanes = new Lanes();
  readonly #quota: StorageQuota;
  readonly #limits: ReadThrough<number | null>;

  constructor(private readonly parts: RoomParts) {
    this.#quota = new StorageQuota(parts.now, parts.sum, noRoom);
    this.#limits = new ReadThrough({ max: LIMITS_CACHED, ttlMs: LIMITS_TTL_MS, now: parts.now });
  }

  /** Keeps something that takes so many bytes more. @throws AppError quota_exceeded, and then it is not kept */
  async keep<T>(tenantId: string, bytes: number, keep: () => Promise<T>): Promise<T> {
    const limit = await this.#limitOf(tenantId);
    return this.#lanes.run(tenantId, async () => {
      await this.#quota.assertRoom(tenantId, bytes, limit);
      const kept = await keep();
      this.#quota.grown(tenantId, bytes);
      return kept;
    });
  }

  /** Whether there would be room now. @throws AppError quota_exceeded */
  async assert(tenantId: string, bytes: number): Promise<void> {
    await this.#quota.assertRoom(tenantId, bytes, await this.#limitOf(tenantId));
  }

  /** What is kept has become so many bytes larger. */
  grown(tenantId: string, bytes: number): void {
    this.#quota.grown(tenantId, bytes);
  }

  /** Something was removed. */
  forget(tenantId: string): void {
    this.#quota.forget(tenantId);
  }

  #limitOf(tenantId: string): Promise<number | null> {
    return this.#limits.get(tenantId, () => this.parts.limit(tenantId));
  }
}

const noRoom = (limit: number, grow: number): string =>
  `Your plan keeps ${limit} MiB in knowledge bases, and ${grow} bytes more are beyond that; remove documents, or upgrade the plan`;
