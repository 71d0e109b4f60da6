import type { QueryFilter } from 'mongoose';
import type { ResultOf } from '../../contracts/catalogue';
import type { UsedByRow } from '../../contracts/used-by';
import type { RefKind } from '../../contracts/workflows/params';
import type { Plan } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError, errorCode, errorMessage } from '../../lib/errors';
import type { Recorded } from '../../mixins/audit';
import { nullOnConflict, WriteConflict } from '../../lib/write-conflict';
import { type TenantScope, ofTenant } from '../../lib/tenant';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import { type Patch, isActive } from './change';
import { difference, type OnRecord, stateOf, workflowTarget } from './events';
import type { SlotCounter } from './active-slots';
import type { WorkflowModels, WorkflowRecord } from './models';
import { planLimitReached } from '../../lib/plan-limit';
import { refKeysOf } from './refs';
import { placesOf, type UsedKind } from './used-by';
import { TotalLimit } from './total-limit';

/** The limit of active workflows of the caller's tenant; asked for a new workflow, and when a change needs a place. */
export type ActiveLimit = () => Promise<number | null>;

/** A new record before it has its slot. */
type NewWorkflow = Omit<WorkflowRecord, 'tenant_id' | 'slot' | 'revision' | 'unsynced' | 'deleted_at'>;

/** A workflow that is not any more as others may remember it: which, whose, and what starts it from inside. */
export type ChangedWorkflow = Pick<
  WorkflowRecord,
  '_id' | 'tenant_id' | 'folder' | 'revision' | 'topics' | 'timers' | 'unsynced' | 'enabled' | 'status' | 'deleted_at'
>;

/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;
/** Keys of one query: the built-in store finds so many by its index. */
const MAX_KEYS = 400;

/** Workflows whose documents are read to list where they use something. */
const MAX_USERS = 200;

const BY_NAME = { sort: { name: 1 }, fields: ['name'] } as const;

const rowsOf = (records: readonly Pick<WorkflowRecord, '_id' | 'name'>[]): { id: string; name: string }[] =>
  records.map(({ _id, name }) => ({ id: _id, name }));

/** Reads and changes of workflow records, all within one tenant. */
export class WorkflowStore {
  readonly #total: TotalLimit;

  constructor(
    private readonly models: WorkflowModels,
    private readonly slotCounter: SlotCounter,
    private readonly clock: Clock,
    /** Called for every new workflow and after every change, before it is answered. */
    private readonly changed: (workflow: ChangedWorkflow) => Promise<void>,
    private readonly warn: (message: string) => void,
  ) {
    this.#total = new TotalLimit(models.workflows);
  }

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

  /** Names of those of the ids that exist. */
  async names(tenantId: string, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    const names: { id: string; name: string }[] = [];
    for (let at = 0; at < ids.length; at += MAX_KEYS) {
      const some = { _id: { $in: ids.slice(at, at + MAX_KEYS) }, deleted_at: null };
      names.push(...rowsOf(await this.#of(tenantId).find(some, { fields: ['name'] })));
    }
    return names;
  }

  /** Records of the tenant, newest first. */
  list<F extends keyof WorkflowRecord>(
    tenantId: string,
    page: { readonly limit?: number; readonly skip?: number; readonly fields: readonly F[] },
    visible: QueryFilter<WorkflowRecord> = {},
  ): Promise<Pick<WorkflowRecord, F | '_id'>[]> {
    return this.#of(tenantId).find({ ...visible, deleted_at: null }, { ...page, sort: { created_at: -1, _id: 1 } });
  }

  /** The same of all records, in batches, for any number of them. */
  each<F extends keyof WorkflowRecord>(
    tenantId: string,
    fields: readonly F[],
    visible: QueryFilter<WorkflowRecord>,
  ): AsyncIterable<Pick<WorkflowRecord, F | '_id'>> {
    return this.#of(tenantId).each({ ...visible, deleted_at: null }, { fields });
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

  /** The tenant's workflows that name something, by name; `refs`: what they may call it. */
  async users(
    tenantId: string,
    kind: RefKind | 'secret' | 'custom_node' | 'variable',
    refs: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    const own = this.#of(tenantId);
    const among = { $in: [...refs] };
    if (kind === 'secret') return rowsOf(await own.find({ secrets: among, deleted_at: null }, BY_NAME));
    if (kind === 'custom_node') return rowsOf(await own.find({ custom_types: among, deleted_at: null }, BY_NAME));
    // No field has them; a text with the word is read, to see how it is used.
    if (kind === 'variable') return rowsOf(await own.find({ dsl: /\bvars\b/, deleted_at: null }, BY_NAME));
    const keys = refs.map((ref) => `${kind}:${ref}`);
    const found = await own.find({ refs: { $in: keys }, deleted_at: null }, BY_NAME);
    // Older records have only their documents: read one at a time, as all of them together may be very large.
    const older = await own.find({ refs: { $exists: false }, deleted_at: null }, BY_NAME);
    for (const row of older) {
      const [record] = await own.find({ _id: row._id, deleted_at: null }, { fields: ['dsl'] });
      const dsl = record === undefined ? null : await parseJsonSliced(record.dsl, NO_LIMITS);
      if (refKeysOf(dsl).some((key) => keys.includes(key))) found.push(row);
    }
    return rowsOf(found);
  }

  /** The tenant's workflows that name something, with the places; read one at a time, as documents may be large. */
  async uses(tenantId: string, kind: UsedKind, refs: readonly string[]): Promise<ResultOf<'workflows.uses'>> {
    const users = await this.users(tenantId, kind, refs);
    const data: UsedByRow[] = [];
    for (const { id, name } of users) {
      if (data.length === MAX_USERS) return { data, truncated: true };
      const [record] = await this.#of(tenantId).find({ _id: id, deleted_at: null }, { fields: ['dsl'] });
      if (record === undefined) continue;
      const places = placesOf(await parseJsonSliced(record.dsl, NO_LIMITS), kind, refs);
      if (places.length > 0 || kind !== 'variable') data.push({ workflow_id: id, workflow_name: name, places });
    }
    return { data, truncated: false };
  }

  /** True for a folder with workflows, in it or in folders in it. */
  async hasFolder(tenantId: string, folder: string): Promise<boolean> {
    const within = { $or: [{ folder }, { folder: { $gte: `${folder}/`, $lt: `${folder}0` } }], deleted_at: null };
    return (await this.#of(tenantId).find(within, { limit: 1, fields: ['_id'] })).length > 0;
  }

  /** The workflows that have one of the ids or names. */
  async named(tenantId: string, refs: readonly string[]): Promise<{ id: string; name: string }[]> {
    const among = { $in: [...refs] };
    return rowsOf(await this.#of(tenantId).find({ $or: [{ _id: among }, { name: among }], deleted_at: null }, BY_NAME));
  }

  /** Those of the ids and names that no workflow has. */
  async missing(tenantId: string, refs: readonly string[]): Promise<string[]> {
    const found = await this.named(tenantId, refs);
    const there = new Set(found.flatMap(({ id, name }) => [id, name]));
    return refs.filter((ref) => !there.has(ref));
  }

  /**
   * Stores a new workflow. Its place is claimed first; a failed insert keeps the place, because the insert may have
   * happened all the same, and the slot counter drops it later if not.
   * @throws AppError workflow_limit, quota_exceeded
   */
  async create(
    tenantId: string,
    workflow: NewWorkflow,
    limit: ActiveLimit,
    { action, recorded }: OnRecord,
  ): Promise<WorkflowRecord> {
    const slot = isActive(workflow) ? `${workflow._id}:new` : null;
    const max = await limit();
    if (slot !== null) await this.#claim(tenantId, slot, max);
    const fresh = { ...workflow, ...unsyncedAfter(workflow), slot, revision: 0, deleted_at: null };
    const change = { action, target: workflowTarget(workflow), after: stateOf(workflow) };
    const insert = () => recorded(change, () => this.#of(tenantId).insert(fresh));
    const record = await this.#total.insert(tenantId, max, insert).catch(async (fault: unknown) => {
      if (slot !== null && errorCode(fault) === 'quota_exceeded') await this.#release(tenantId, slot);
      throw fault;
    });
    await this.changed(record);
    return record;
  }

  /**
   * Changes a record by what `decide` makes of it as it stands. Changes at the same time are put in order: the write
   * names the revision that was seen, and a request that finds another one decides again. The audit log has what was
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
      // Another change took the revision that it was claimed for, so the slot cannot be used any more.
      if (claimed !== null && record?.slot !== claimed) await this.#release(tenantId, claimed);
      if (record === null) throw notFound(id);
      const patch = decide(record);
      if (Object.keys(patch).length === 0) return record;
      const slot = slotAfter(record, patch);
      claimed = slot === record.slot ? null : slot;
      if (claimed !== null) await this.#claim(tenantId, claimed, await limit());
      const { before, after } = difference(record, patch);
      const change = { action, target: workflowTarget(record), before, after: { ...after, ...more } };
      const saved = await nullOnConflict(
        recorded(change, () => this.#save(tenantId, record, { ...patch, ...unsyncedAfter(record, patch), slot })),
      );
      if (saved === null) continue;
      // The former triggers count as well: caches of both are stale.
      await this.changed({ ...saved, topics: [...(record.topics ?? []), ...(saved.topics ?? [])] });
      if (record.slot !== null && slot === null) await this.#release(tenantId, record.slot);
      return saved;
    }
    throw new AppError('conflict', 'Too many changes of this workflow at the same time; try again');
  }

  /** Marks a record as deleted. It is invisible immediately; the sweep removes its data later. @throws AppError not_found */
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
    const text = (await stringifyJsonSliced(plan)) ?? '';
    await this.models.plans.create({ _id: plan.hash, plan: text }).catch((error: unknown) => {
      // Two creates of one plan race, and it is the same plan: a duplicate means that it is there.
      if (!isDuplicateKey(error)) throw error;
    });
  }

  /** Plans have no tenant: they are identified by their hash alone. */
  async findPlan(hash: string): Promise<Plan | null> {
    const found = await this.models.plans.findById(hash).lean().exec();
    return found === null ? null : ((await parseJsonSliced(found.plan, NO_LIMITS)) as unknown as Plan);
  }

  /** @throws WriteConflict when the record has another revision by now */
  async #save(tenantId: string, { _id, revision }: WorkflowRecord, fields: Patch & { slot: string | null }) {
    const saved = await this.#of(tenantId).update(
      { _id, revision, deleted_at: null },
      { $set: { ...fields, updated_at: new Date(this.clock.now()) }, $inc: { revision: 1 } },
    );
    if (saved === null) throw new WriteConflict();
    return saved;
  }

  #of(tenantId: string): TenantScope<WorkflowRecord> {
    return ofTenant(this.models.workflows, tenantId);
  }

  async #claim(tenantId: string, slot: string, max: number | null): Promise<void> {
    if (await this.slotCounter.claim(tenantId, max, slot)) return;
    throw planLimitReached({
      limit: 'active_workflows',
      // Without a limit, every claim succeeds.
      max: max ?? 0,
      excess: 'all are in use',
      remedy: 'disable or delete one',
    });
  }

  /** The change itself is done by now; a place that cannot be given back is found by the next claim that needs it. */
  async #release(tenantId: string, slot: string): Promise<void> {
    await this.slotCounter.release(tenantId, slot).catch((error: unknown) => {
      this.warn(`Active workflow slot was not released, tenant ${tenantId}: ${errorMessage(error)}`);
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
