import { KeyedMutex } from '../../lib/keyed-mutex';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { StorageQuota } from '../../lib/storage-quota';

const LIMITS_CACHED = 20_000;

interface QuotaDeps {
  readonly now: () => number;
  /** Sums the stored bytes of a tenant and the reservations of its unfinished uploads from the records. */
  readonly measureBytes: (tenantId: string) => Promise<number>;
  /** Returns the plan's storage limit in MiB; null for no limit. */
  readonly readLimit: (tenantId: string) => Promise<number | null>;
}

/** Storage quota of knowledge bases. Checks of one tenant are serialized, so each includes the writes before it. */
export class KnowledgeQuota {
  readonly #mutex = new KeyedMutex();
  readonly #quota: StorageQuota;
  readonly #limits: ReadThrough<number | null>;

  constructor(private readonly deps: QuotaDeps) {
    this.#quota = new StorageQuota(deps.now, deps.measureBytes, REFUSAL);
    this.#limits = new ReadThrough({ max: LIMITS_CACHED, ttlMs: CACHE_MAX_AGE_MS, now: deps.now });
  }

  /** Runs `store`, which adds `bytes`, if the quota has room for them. @throws AppError quota_exceeded without running it */
  async storeWithin<T>(tenantId: string, bytes: number, store: () => Promise<T>): Promise<T> {
    const limit = await this.#limitOf(tenantId);
    return this.#mutex.run(tenantId, async () => {
      await this.#quota.assertRoom(tenantId, bytes, limit);
      const stored = await store();
      this.#quota.recordGrowth(tenantId, bytes);
      return stored;
    });
  }

  /** Checks for room without a reservation. @throws AppError quota_exceeded */
  async assertRoom(tenantId: string, bytes: number): Promise<void> {
    await this.#quota.assertRoom(tenantId, bytes, await this.#limitOf(tenantId));
  }

  recordGrowth(tenantId: string, bytes: number): void {
    this.#quota.recordGrowth(tenantId, bytes);
  }

  /** Forces a new measurement, after a removal. */
  invalidate(tenantId: string): void {
    this.#quota.forget(tenantId);
  }

  /** Forces a new read of the plan's limit. */
  invalidateLimit(tenantId: string): void {
    this.#limits.delete(tenantId);
  }

  #limitOf(tenantId: string): Promise<number | null> {
    return this.#limits.get(tenantId, () => this.deps.readLimit(tenantId));
  }
}

const REFUSAL = { limit: 'knowledge_base_mb', remedy: 'remove documents' } as const;
