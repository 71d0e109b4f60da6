import { literalPattern } from '../../../lib/text-patterns';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { KeyedMutex } from '../../../lib/keyed-mutex';
import type { Page } from '../../../lib/page';
import { planLimitReached } from '../../../lib/plan-limit';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { AuditChange, Recorded } from '../../../mixins/audit';
import type { DatasetRecord, EvaluationModels } from '../models';

/** Data sets of tenants, without their rows. */
export class Datasets {
  /** Creates of a tenant run one after another in a process, so that each counts the others. */
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly models: Pick<EvaluationModels, 'datasets'>,
    private readonly clock: Clock,
  ) {}

  /** Sorted by name; `q`: a part of the name, in any case. */
  list(tenantId: string, { q, ...page }: Page & { readonly q?: string | undefined }): Promise<DatasetRecord[]> {
    const named = q === undefined || q === '' ? {} : { name: { $regex: literalPattern(q), $options: 'i' } };
    return this.#of(tenantId).find(named, { sort: { name: 1 }, ...page });
  }

  /** @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<DatasetRecord> {
    const found = await this.#of(tenantId).findOne({ _id: id });
    if (found === null) throw notFound(id);
    return found;
  }

  /** `max`: the plan's limit; null for none. @throws AppError conflict for a name in use, quota_exceeded */
  async create(
    tenantId: string,
    { name, description, by }: { name: string; description: string | null; by: string },
    max: number | null,
    recorded: Recorded,
  ): Promise<DatasetRecord> {
    const now = new Date(this.clock.now());
    const record: Omit<DatasetRecord, 'tenant_id'> = {
      _id: randomId(),
      name,
      description,
      revision: 0,
      last_change: 0,
      aborted: [],
      writer: null,
      writer_until: null,
      writer_change: null,
      rows: 0,
      bytes: 0,
      next_n: 1,
      created_by: by,
      created_at: now,
      updated_at: now,
    };
    return this.#mutex.run(tenantId, async () => {
      if (max !== null && (await this.#of(tenantId).count({})) >= max)
        throw planLimitReached({ limit: 'datasets', max, excess: 'all are in use', remedy: 'delete one' });
      await this.#assertFree(tenantId, name);
      return recorded(datasetChange('dataset.create', record, { after: { name } }), () =>
        this.#of(tenantId).insert(record).catch(rethrowTaken(name)),
      );
    });
  }

  /** @throws AppError not_found, conflict for a name in use */
  async update(
    tenantId: string,
    id: string,
    fields: { readonly name?: string | undefined; readonly description?: string | undefined },
    recorded: Recorded,
  ): Promise<DatasetRecord> {
    const before = await this.get(tenantId, id);
    const { name, description } = fields;
    if (name !== undefined && name !== before.name) await this.#assertFree(tenantId, name);
    const $set = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description: description === '' ? null : description }),
      updated_at: new Date(this.clock.now()),
    };
    const change = { before: { name: before.name }, after: { name: name ?? before.name } };
    return recorded(datasetChange('dataset.update', before, change), async () => {
      const changed = await this.#of(tenantId)
        .update({ _id: id }, { $set })
        .catch(rethrowTaken(name ?? before.name));
      if (changed === null) throw notFound(id);
      return changed;
    });
  }

  async #assertFree(tenantId: string, name: string): Promise<void> {
    if ((await this.#of(tenantId).findOne({ name })) !== null) throw taken(name);
  }

  #of(tenantId: string): TenantScope<DatasetRecord> {
    return ofTenant(this.models.datasets, tenantId);
  }
}

/** An audited change of a data set. */
export const datasetChange = (
  action: string,
  { _id, name }: Pick<DatasetRecord, '_id' | 'name'>,
  more: Pick<AuditChange, 'before' | 'after'>,
): AuditChange => ({ action, target: { type: 'dataset', id: _id, name }, ...more });

export const notFound = (id: string): AppError => new AppError('not_found', `There is no data set ${id}`);

const taken = (name: string): AppError =>
  new AppError('conflict', `A data set is named ${name} already; choose another name`, {
    details: [{ path: 'name', message: `${name} is in use` }],
  });

const rethrowTaken =
  (name: string) =>
  (fault: unknown): never => {
    throw isDuplicateKey(fault) ? taken(name) : fault;
  };
