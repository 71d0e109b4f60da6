import { isDuplicateKey } from '../../lib/duplicate-key';
import { ofTenant, type TenantScope } from '../../lib/tenant';
import type { AlertModels, WatchRecord } from './models';
import type { Rule } from './rule';
import { attentionAt, NEW_WATCH, type Watch } from './rules/watch';

/** What a rule has seen of a workflow; `workflowId` null: of the tenant. */
export interface Subject {
  readonly rule: Rule;
  readonly workflowId: string | null;
  readonly workflowName: string | null;
}

/** A watch as it is stored; `revision` 0: it is not. */
export interface StoredWatch {
  readonly subject: Subject;
  readonly watch: Watch;
  readonly revision: number;
}

const MAX_DUE = 200;
const MAX_SHOWN = 50;
/** Keys of one query: the built-in store finds so many by its index. */
const MAX_KEYS = 400;

const watchId = (ruleId: string, workflowId: string | null): string => `${ruleId}:${workflowId ?? ''}`;

/** What the rules of tenants have seen. Every change is one write that names the revision it saw. */
export class WatchStore {
  constructor(private readonly models: Pick<AlertModels, 'watches'>) {}

  /** The watches of subjects, in their order; those of an earlier epoch count as new. */
  async load(tenantId: string, subjects: readonly Subject[]): Promise<StoredWatch[]> {
    const ids = subjects.map(({ rule, workflowId }) => watchId(rule.record._id, workflowId));
    const records = new Map<string, WatchRecord>();
    for (let at = 0; at < ids.length; at += MAX_KEYS)
      for (const record of await this.#of(tenantId).find({ _id: { $in: ids.slice(at, at + MAX_KEYS) } }))
        records.set(record._id, record);
    return subjects.map((subject, index) => storedOf(subject, records.get(ids[index] as string) ?? null));
  }

  /** Watches that have to be looked at by now. */
  due(tenantId: string, now: number): Promise<WatchRecord[]> {
    const due = { next_at: { $gt: new Date(0), $lte: new Date(now) } };
    return this.#of(tenantId).find(due, { sort: { next_at: 1 }, limit: MAX_DUE });
  }

  /** Watches of a rule whose condition holds. */
  firing(tenantId: string, ruleId: string, limit = MAX_SHOWN): Promise<WatchRecord[]> {
    return this.#of(tenantId).find({ rule_id: ruleId, firing: true }, { sort: { _id: 1 }, limit });
  }

  /** When the next watch has to be looked at; null: none has. */
  async nextAt(tenantId: string): Promise<number | null> {
    const page = { sort: { next_at: 1 as const }, limit: 1, fields: ['next_at'] };
    const [first] = await this.#of(tenantId).find({ next_at: { $gt: new Date(0) } }, page);
    return first?.next_at?.getTime() ?? null;
  }

  /** False when another process was faster. */
  async save(tenantId: string, before: StoredWatch, watch: Watch, now: number): Promise<boolean> {
    const { subject, revision } = before;
    const { rule, workflowId, workflowName } = subject;
    const at = attentionAt(rule.condition, watch, now, rule.policy);
    const fields = {
      workflow_name: workflowName,
      epoch: rule.record.epoch,
      watch: JSON.stringify(watch),
      firing: watch.incident.kind === 'firing',
      next_at: at === null ? null : new Date(at),
      revision: revision + 1,
    };
    const _id = watchId(rule.record._id, workflowId);
    if (revision > 0) return (await this.#of(tenantId).update({ _id, revision }, { $set: fields })) !== null;
    try {
      await this.#of(tenantId).insert({ _id, rule_id: rule.record._id, workflow_id: workflowId, ...fields });
      return true;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  }

  /** Lets the firing watches of a rule be looked at now: it was changed. */
  async wake(tenantId: string, ruleId: string, now: number): Promise<void> {
    const own = { tenant_id: tenantId, rule_id: ruleId, firing: true };
    await this.models.watches.updateMany(own, { $set: { next_at: new Date(now) } }).exec();
  }

  async remove(tenantId: string, { _id, revision }: Pick<WatchRecord, '_id' | 'revision'>): Promise<void> {
    await this.#of(tenantId).remove({ _id, revision });
  }

  #of(tenantId: string): TenantScope<WatchRecord> {
    return ofTenant(this.models.watches, tenantId);
  }
}

/** The watch of a record, which this service has written. */
export const watchOf = ({ watch }: Pick<WatchRecord, 'watch'>): Watch => JSON.parse(watch) as Watch;

function storedOf(subject: Subject, record: WatchRecord | null): StoredWatch {
  if (record === null) return { subject, watch: NEW_WATCH, revision: 0 };
  const isSame = record.epoch === subject.rule.record.epoch;
  return { subject, watch: isSame ? watchOf(record) : NEW_WATCH, revision: record.revision };
}
