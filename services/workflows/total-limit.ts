import type { Model } from 'mongoose';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { planLimitReached } from '../../lib/plan-limit';
import { ofTenant } from '../../lib/tenant';
import type { WorkflowRecord } from './models';

/** How many workflows a tenant may have for each one that its plan allows to be active. */
const WORKFLOWS_PER_ACTIVE = 10;

/**
 * Bounds all workflows of a tenant: those that are not active count against no other limit. Creates of a tenant run one
 * after another in a process, so that each counts the others; processes may together exceed the bound by a few.
 */
export class TotalLimit {
  readonly #mutex = new KeyedMutex();

  constructor(private readonly workflows: Model<WorkflowRecord>) {}

  /** Inserts a workflow if there is room. `active`: the plan's limit, null for none. @throws AppError quota_exceeded */
  insert<T>(tenantId: string, active: number | null, insert: () => Promise<T>): Promise<T> {
    if (active === null) return insert();
    return this.#mutex.run(tenantId, async () => {
      await this.#assertRoom(tenantId, active * WORKFLOWS_PER_ACTIVE);
      return insert();
    });
  }

  async #assertRoom(tenantId: string, max: number): Promise<void> {
    const own = ofTenant(this.workflows, tenantId);
    // By keys of an index alone; only at the limit, those are excluded that are being removed.
    if ((await own.count({})) < max || (await own.count({ deleted_at: null })) < max) return;
    throw planLimitReached({ limit: 'workflows', max, excess: 'all are in use', remedy: 'delete one' });
  }
}
