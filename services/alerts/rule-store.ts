import type { WatchedEnds } from '../../contracts/alerts';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { type FindOptions, ofTenant, type TenantScope } from '../../lib/tenant';
import { nullOnConflict, WriteConflict } from '../../lib/write-conflict';
import type { AuditChange, Recorded } from '../../mixins/audit';
import type { AlertModels, RuleRecord } from './models';
import { countsRuns, type Rule, ruleOf } from './rule';

const MAX_RULES = 100;
const MAX_TRIES = 16;

/** What a request changes of a rule. */
export type RuleFields = Pick<
  RuleRecord,
  'name' | 'enabled' | 'scope' | 'condition' | 'sealed' | 'key_id' | 'quiet_ms'
>;

/** The rules of a tenant. */
export class RuleStore {
  constructor(
    private readonly models: AlertModels,
    private readonly now: () => number,
    /** Called after every change, before it is answered. */
    private readonly changed: (tenantId: string) => Promise<void>,
  ) {}

  /** By name. */
  async list(tenantId: string, page: Pick<FindOptions, 'limit' | 'offset'> = {}): Promise<Rule[]> {
    return (await this.#of(tenantId).find({}, { sort: { name: 1 }, ...page })).map(ruleOf);
  }

  async find(tenantId: string, id: string): Promise<Rule | null> {
    const found = await this.#of(tenantId).findOne({ _id: id });
    return found === null ? null : ruleOf(found);
  }

  /** @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<Rule> {
    const found = await this.find(tenantId, id);
    if (found === null) throw new AppError('not_found', `There is no alert ${id}`);
    return found;
  }

  /** The ended runs that the rules of the tenant need. */
  async watched(tenantId: string): Promise<WatchedEnds> {
    const rules = (await this.list(tenantId)).filter(countsRuns);
    const ids = rules.flatMap(({ scope }) => (scope.kind === 'tenant' ? [] : scope.workflow_ids));
    return { all: rules.some(({ scope }) => scope.kind === 'tenant'), workflow_ids: [...new Set(ids)] };
  }

  /** @throws AppError quota_exceeded, conflict when the name is in use */
  async create(tenantId: string, id: string, fields: RuleFields, by: string | null, recorded: Recorded): Promise<Rule> {
    // Requests at the same time may go over the limit together, which does no harm.
    if ((await this.#of(tenantId).count({})) >= MAX_RULES)
      throw new AppError('quota_exceeded', `There are ${MAX_RULES} alerts, which is the most; delete one first`, {
        body: { limit: 'alerts', max: MAX_RULES },
      });
    const now = new Date(this.now());
    const record = {
      _id: id,
      ...fields,
      muted_until: null,
      epoch: 1,
      counts_from: now,
      revision: 1,
      created_by: by,
      created_at: now,
      updated_at: now,
    };
    const change = { action: 'alert.create', target: targetOf(record), after: shownOf(record) };
    const made = await recorded(change, () => this.#of(tenantId).insert(record).catch(nameTaken(fields.name)));
    await this.changed(tenantId);
    return ruleOf(made);
  }

  /** @throws AppError not_found, conflict */
  async change(
    tenantId: string,
    id: string,
    action: 'alert.update' | 'alert.mute',
    decide: (rule: Rule) => Partial<RuleFields> & { muted_until?: Date | null },
    recorded: Recorded,
  ): Promise<Rule> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const { record } = await this.get(tenantId, id);
      const fields = decide(ruleOf(record));
      const now = new Date(this.now());
      const after = { ...record, ...fields };
      const isNew =
        after.scope !== record.scope || after.condition !== record.condition || after.enabled !== record.enabled;
      const anew = isNew ? { epoch: record.epoch + 1, counts_from: now } : {};
      const change: AuditChange = { action, target: targetOf(record), before: shownOf(record), after: shownOf(after) };
      const saved = await nullOnConflict(
        recorded(change, async () => {
          const $set = { ...fields, ...anew, updated_at: now };
          const made = await this.#of(tenantId)
            .update({ _id: id, revision: record.revision }, { $set, $inc: { revision: 1 } })
            .catch(nameTaken(after.name));
          if (made === null) throw new WriteConflict();
          return made;
        }),
      );
      if (saved === null) continue;
      if (isNew) await ofTenant(this.models.watches, tenantId).remove({ rule_id: id, epoch: record.epoch });
      await this.changed(tenantId);
      return ruleOf(saved);
    }
    throw new AppError('conflict', 'Too many changes of this alert at the same time; try again');
  }

  /** @throws AppError not_found */
  async remove(tenantId: string, id: string, recorded: Recorded): Promise<void> {
    const { record } = await this.get(tenantId, id);
    const change = { action: 'alert.delete', target: targetOf(record), before: shownOf(record) };
    await recorded(change, () => this.#of(tenantId).remove({ _id: id }));
    await ofTenant(this.models.watches, tenantId).remove({ rule_id: id });
    await ofTenant(this.models.notifications, tenantId).remove({ rule_id: id });
    await this.changed(tenantId);
  }

  #of(tenantId: string): TenantScope<RuleRecord> {
    return ofTenant(this.models.rules, tenantId);
  }
}

const nameTaken =
  (name: string) =>
  (fault: unknown): never => {
    if (!isDuplicateKey(fault)) throw fault;
    throw new AppError('conflict', `There is an alert named ${name}; choose another name`);
  };

const targetOf = ({ _id, name }: Pick<RuleRecord, '_id' | 'name'>) => ({ type: 'alert', id: _id, name });

/** What the audit log shows: no channels, which hold secrets. */
const shownOf = (record: RuleFields & { muted_until: Date | null }) => ({
  name: record.name,
  enabled: record.enabled,
  scope: record.scope,
  condition: record.condition,
  quiet_ms: record.quiet_ms,
  muted_until: record.muted_until?.toISOString() ?? null,
});
