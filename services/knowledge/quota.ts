import { KeyedMutex } from '../../lib/keyed-mutex';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { StorageQuota } from '../../lib/storage-quota';

const LIMITS_CACHED = 20_000;

interface QuotaParts {
  readonly now: () => number;
  /** Bytes of all that a tenant stores, and of what its unfinished uploads have reserved, from the records. */
  readonly sum: (tenantId: string) => Promise<number>;
  /** Mebibytes that his plan lets him keep; null for any number. */
  readonly limit: (tenantId: string) => Promise<number | null>;
}

/** How much tenants may keep in their bases. Of each, one thing is looked at after the other, so that it knows of those before it. */
export class KnowledgeQuota {
  readonly #mutex = new KeyedMutex();
  readonly #quota: StorageQuota;
  readonly #limits: ReadThrough<number | null>;

  constructor(private readonly parts: QuotaParts) {
    this.#quota = new StorageQuota(parts.now, parts.sum, REFUSAL);
    this.#limits = new ReadThrough({ max: LIMITS_CACHED, ttlMs: CACHE_MAX_AGE_MS, now: parts.now });
  }

  /** Keeps something that takes so many bytes more. @throws AppError quota_exceeded, and then it is not kept */
  async keep<T>(tenantId: string, bytes: number, keep: () => Promise<T>): Promise<T> {
    const limit = await this.#limitOf(tenantId);
    return this.#mutex.run(tenantId, async () => {
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

  /** The tenant's plan has changed. */
  forgetLimit(tenantId: string): void {
    this.#limits.delete(tenantId);
  }

  #limitOf(tenantId: string): Promise<number | null> {
    return this.#limits.get(tenantId, () => this.parts.limit(tenantId));
  }
}

const REFUSAL = { limit: 'knowledge_base_mb', remedy: 'remove documents' } as const;
