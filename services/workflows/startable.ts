import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isUuid } from '../../lib/ids';
import { ReadThrough } from '../../lib/read-through';
import type { Startable } from './contract';
import type { WorkflowRecord } from './models';
import { STARTABLE_FIELDS, toStartable } from './view';

/** The tenant's limit of runs at a time; null for none. */
export type ConcurrentLimit = (tenantId: string) => Promise<number | null>;

const TTL_MS = 1_000;
const CACHED = 20_000;

/**
 * What a start must know of a workflow, in memory: every webhook asks for it. A change is seen at once on the host
 * that made it, and within a second elsewhere even when the hint about it was lost.
 */
export class Startables {
  readonly #known: ReadThrough<Startable | null>;

  constructor(
    private readonly model: Model<WorkflowRecord>,
    clock: Clock,
    private readonly concurrentLimit: ConcurrentLimit,
  ) {
    this.#known = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now: () => clock.now() });
  }

  /** Null for an unknown or deleted id. The id itself is the permission here, so no tenant is asked for. */
  get(id: string): Promise<Startable | null> {
    return isUuid(id) ? this.#known.get(id, () => this.#read(id)) : Promise.resolve(null);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  async #read(id: string): Promise<Startable | null> {
    const record = await this.model
      .findOne({ _id: id, deleted_at: null })
      .select([...STARTABLE_FIELDS])
      .lean()
      .exec();
    if (record === null) return null;
    return toStartable(record, await this.concurrentLimit(record.tenant_id));
  }
}
