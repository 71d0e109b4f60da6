import type { Plan } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError, errorMessage } from '../../lib/errors';
import type { Recorded } from '../../mixins/audit';
import { orOvertaken, Overtaken } from '../../mixins/overtaken';
import { type TenantScope, ofTenant } from '../../mixins/tenant';
import { type Patch, isActive } from './change';
import { difference, type OnRecord, stateOf, workflowTarget } from './events';
import type { Ledger } from './ledger';
import type { WorkflowModels, WorkflowRecord } from './models';

/** The limit of active workflows of the caller's tenant; asked only when a change needs a place. */
export type ActiveLimit = () => Promise<number | null>;

/** A new record before it has its place in the ledger. */
export type NewWorkflow = Omit<WorkflowRecord, 'tenant_id' | 'slot' | 'revision' | 'unsynced' | 'deleted_at'>;

/** A workflow that is not any more as others may remember it: which, whose, and what starts it from inside. */
export type ChangedWorkflow = Pick<
  WorkflowRecord,
  '_id' | 'tenant_id' | 'revision' | 'topics' | 'timers' | 'unsynced' | 'enabled' | 'status' | 'deleted_at'
>;

/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;

/** Reads and changes of workflow records, all within one tenant. */
export class WorkflowStore {
  constructor(
    private readonly models: WorkflowModels,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    /** Told of every new workflow and after every change, before that is answered. */
    private readonly changed: (workflow: ChangedWorkflow) => Promise<void>,
    private readonly warn: (message: string) => void,
  ) {}

  /** The tenant's records that are not marked deleted. @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<WorkflowRecord> {
    const record = await this.#of(tenantId).findOne({ _id: id, deleted_at: null });
    if (record === null) throw notFound(id);
    return record;
  }

  /** The id of the workflow of that name; empty when there is none. @throws AppError conflict when there are several */
  async idOf(tenantId: string, name: string): Promise<string> {
    const [first, second] = await this.#of(tenantId).find({ name, deleted_at: null }, { limit: 2, fields: ['_id'] });
    if (second === undefined) return first?._id ?? '';
    throw new AppError('conflict', `Several workflows are named ${name}; use the id of one`);
  }

  /** Records of the tenant, newest first. */
  list<F extends keyof WorkflowRecord>(
    tenantId: string,
    page: { readonly limit?: number; readonly skip?: number; readonly fields: readonly F[] },
  ): Promise<Pick<WorkflowRecord, F | '_id'>[]> {
    return this.#of(tenantId).find({ deleted_at: null }, { ...page, sort: { created_at: -1, _id: 1 } });
  }

  /** Those of the tenant's workflows that can be started, and begin by one of the topics; without topics, by any. */
  async listeners(tenantId: string, topics?: readonly string[]): Promise<Pick<WorkflowRecord, '_id' | 'topics'>[]> {
    const found = await this.#of(tenantId).find(
      {
        // Word for word what the index is limited to.
        'topics.0': { $exists: true },
        ...(topics === undefined ? {} : { topics: { $in: [...topics] } }),
        enabled: true,
        status: 'active',
        deleted_at: null,
      },
      // In order here, not there: asked for an order, the database would rather walk all of the tenant's workflows in it.
      { fields: ['topics', 'created_at'] },
    );
    return found.sort((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1));
  }

  /** The tenant's workflows that name a custom node type, by name. */
  users(tenantId: string, type: string): Promise<Pick<WorkflowRecord, '_id' | 'name'>[]> {
    return this.#of(tenantId).find({ custom_types: type, deleted_at: null }, { sort: { name: 1 }, fields: ['name'] });
  }

  /**
   * Stores a new workflow. Its place is claimed first; a failed insert keeps the place, because the insert may have
   * happened all the same, and the ledger drops it later if not.
   * @throws AppError workflow_limit
   */
  async create(
    tenantId: string,
    workflow: NewWorkflow,
    limit: ActiveLimit,
    { action, recorded }: OnRecord,
  ): Promise<WorkflowRecord> {
    const slot = isActive(workflow) ? `${workflow._id}:new` : null;
    if (slot !== null) await this.#claim(tenantId, slot, limit);
    const fresh = { ...workflow, ...unsyncedAfter(workflow), slot, revision: 0, deleted_at: null };
    const record = await recorded({ action, target: workflowTarget(workflow), after: stateOf(workflow) }, () =>
      this.#of(tenantId).insert(fresh),
    );
    await this.changed(record);
    return record;
  }

  /**
   * Changes a record by what `decide` makes of it as it stands. Changes at the same time are put in order: the write
   * names the revision that was seen, and whoever finds another one decides again. What is on record is what was
   * written: a change that was overtaken is there as failed.
   * @throws AppError not_found, workflow_limit, conflict
   */
  async change(
    tenantId: string,
    id: string,
    decide: (record: WorkflowRecord) => Patch,
    limit: ActiveLimit,
    { action, recorded, more }: OnRecord,
  ): Promise<WorkflowRecord> {
    let claimed: string | null = null;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = await this.#of(tenantId).findOne({ _id: id, deleted_at: null });
      // The revision that it was claimed for has been taken by a change without it; nobody can use it any more.
      if (claimed !== null && record?.slot !== claimed) await this.#release(tenantId, claimed);
      if (record === null) throw notFound(id);
      const patch = decide(record);
      if (Object.keys(patch).length === 0) return record;
      const slot = slotAfter(record, patch);
      claimed = slot === record.slot ? null : slot;
      if (claimed !== null) await this.#claim(tenantId, claimed, limit);
      const { before, after } = difference(record, patch);
      const change = { action, target: workflowTarget(record), before, after: { ...after, ...more } };
      const saved = await orOvertaken(
        recorded(change, () => this.#save(tenantId, record, { ...patch, ...unsyncedAfter(record, patch), slot })),
      );
      if (saved === null) continue;
      // What it began by before counts as well: both are news to whoever remembers.
      await this.changed({ ...saved, topics: [...(record.topics ?? []), ...(saved.topics ?? [])] });
      if (record.slot !== null && slot === null) await this.#release(tenantId, record.slot);
      return saved;
    }
    throw new AppError('conflict', 'Too many changes of this workflow at the same time; try again');
  }

  /** Marks a record as deleted, so that it is gone for everyone; what belongs to it goes later. @throws AppError not_found */
  async markDeleted(tenantId: string, id: string, recorded: Recorded): Promise<void> {
    const found = await this.get(tenantId, id);
    const change = { action: 'workflow.delete', target: workflowTarget(found), before: stateOf(found) };
    const now = new Date(this.clock.now());
    const before = await recorded(change, async () => {
      const marked = await this.#of(tenantId).update(
        { _id: id, deleted_at: null },
        { $set: { deleted_at: now, updated_at: now, enabled: false, slot: null }, $inc: { revision: 1 } },
        'before',
      );
      if (marked === null) throw notFound(id);
      return marked;
    });
    const mark = { revision: before.revision + 1, enabled: false, deleted_at: now };
    await this.changed({ ...before, ...unsyncedAfter(before), ...mark });
    if (before.slot !== null) await this.#release(tenantId, before.slot);
  }

  /** Stores a plan under its hash, once. Comes before any record that names the hash. */
  async putPlan(plan: Plan): Promise<void> {
    const known = await this.models.plans.exists({ _id: plan.hash }).exec();
    if (known !== null) return;
    await this.models.plans.create({ _id: plan.hash, plan: JSON.stringify(plan) }).catch((error: unknown) => {
      // Two creates of one plan race, and it is the same plan: a duplicate means that it is there.
      if (!isDuplicateKey(error)) throw error;
    });
  }

  /** Plans belong to nobody: their hash is all that tells them apart. */
  async findPlan(hash: string): Promise<Plan | null> {
    const found = await this.models.plans.findById(hash).lean().exec();
    return found === null ? null : (JSON.parse(found.plan) as Plan);
  }

  /** @throws Overtaken when the record has another revision by now */
  async #save(tenantId: string, { _id, revision }: WorkflowRecord, fields: Patch & { slot: string | null }) {
    const saved = await this.#of(tenantId).update(
      { _id, revision, deleted_at: null },
      { $set: { ...fields, updated_at: new Date(this.clock.now()) }, $inc: { revision: 1 } },
    );
    if (saved === null) throw new Overtaken();
    return saved;
  }

  #of(tenantId: string): TenantScope<WorkflowRecord> {
    return ofTenant(this.models.workflows, tenantId);
  }

  async #claim(tenantId: string, slot: string, limit: ActiveLimit): Promise<void> {
    const most = await limit();
    if (await this.ledger.claim(tenantId, most, slot)) return;
    throw new AppError(
      'workflow_limit',
      `Your plan allows ${most} active workflows, and all are in use; disable or delete one, or upgrade the plan`,
    );
  }

  /** The change itself is done by now; a place that cannot be given back is found by the next claim that needs it. */
  async #release(tenantId: string, slot: string): Promise<void> {
    await this.ledger.release(tenantId, slot).catch((error: unknown) => {
      this.warn(`A place in the ledger of tenant ${tenantId} was not given back: ${errorMessage(error)}`);
    });
  }
}

/** The mark that the scheduler is to hear of a change, where there is or was a schedule. */
const unsyncedAfter = (...records: readonly Pick<Patch, 'timers'>[]): { unsynced?: true } =>
  records.some(({ timers = [] }) => timers.length > 0) ? { unsynced: true } : {};

/**
 * The token of a record's place once a patch is in. It is made of the revision, so that changes which race to activate
 * one record claim one place between them.
 */
const slotAfter = (record: WorkflowRecord, patch: Patch): string | null =>
  isActive({ ...record, ...patch }) ? (record.slot ?? `${record._id}:${record.revision}`) : null;

export const notFound = (id: string): AppError => new AppError('not_found', `There is no workflow ${id}`);
