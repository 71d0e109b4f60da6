import type { QueryFilter } from 'mongoose';
import { afterRow, decodeCursor, encodeCursor, invalidCursor } from '../../../lib/cursor';
import { AppError } from '../../../lib/errors';
import type { Page } from '../../../lib/page';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { Recorded } from '../../../mixins/audit';
import { interrupt } from '../../../mixins/leased-work/interrupt';
import type { EvaluationStatus } from '../../../contracts/evaluations/views';
import type { EvaluationModels, EvaluationRecord } from '../models';

const MAX_EVALUATIONS = 1_000;
const ENDED: readonly EvaluationStatus[] = ['completed', 'failed', 'cancelled', 'budget_exceeded'];

interface EvaluationQuery extends Page {
  readonly cursor?: string | undefined;
  readonly dataset_id?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly status?: EvaluationStatus | undefined;
}

/** Evaluations of tenants. */
export class Evaluations {
  constructor(private readonly models: Pick<EvaluationModels, 'evaluations' | 'results'>) {}

  /** Newest first. @throws AppError invalid_request */
  async list(
    tenantId: string,
    { cursor, limit, offset, ...given }: EvaluationQuery,
    visible: QueryFilter<EvaluationRecord>,
  ): Promise<{ records: EvaluationRecord[]; next: string | null }> {
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const filter: QueryFilter<EvaluationRecord> = {
      $and: [fields, visible, ...(cursor === undefined ? [] : [afterCursor(cursor)])],
    };
    const found = await this.#of(tenantId).find(filter, {
      sort: { created_at: -1, _id: 1 },
      offset: cursor === undefined ? offset : 0,
      limit: limit + 1,
    });
    const records = found.slice(0, limit);
    const last = found.length > limit ? records.at(-1) : undefined;
    return { records, next: last === undefined ? null : encodeCursor(last.created_at.getTime(), last._id) };
  }

  /** @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<EvaluationRecord> {
    const found = await this.#of(tenantId).findOne({ _id: id });
    if (found === null) throw notFound(id);
    return found;
  }

  /** @throws AppError quota_exceeded */
  async insert(
    tenantId: string,
    record: Omit<EvaluationRecord, 'tenant_id'>,
    recorded: Recorded,
  ): Promise<EvaluationRecord> {
    if ((await this.#of(tenantId).count({})) >= MAX_EVALUATIONS)
      throw new AppError('quota_exceeded', `There are ${MAX_EVALUATIONS} evaluations already; delete some first`);
    const { dataset_id, workflow_id } = record;
    const change = { action: 'evaluation.create', target: targetOf(record), after: { dataset_id, workflow_id } };
    return recorded(change, () => this.#of(tenantId).insert(record));
  }

  /** Lets the work end. @throws AppError not_found, conflict */
  async cancel(tenantId: string, id: string, now: number, recorded: Recorded): Promise<EvaluationRecord> {
    const found = await this.get(tenantId, id);
    if (found.cancelling) return found;
    if (ENDED.includes(found.status)) throw ended(found, 'cannot be cancelled');
    return recorded({ action: 'evaluation.cancel', target: targetOf(found) }, async () => {
      const active = { _id: id, status: { $in: ['queued' as const, 'running' as const] } };
      const changed = await interrupt(this.#of(tenantId), active, { cancelling: true }, new Date(now));
      if (changed === null) throw ended(await this.get(tenantId, id), 'cannot be cancelled');
      return changed;
    });
  }

  /** Lets the work begin again for what failed. @throws AppError not_found, conflict */
  async rerun(tenantId: string, id: string, now: number, recorded: Recorded): Promise<EvaluationRecord> {
    const found = await this.get(tenantId, id);
    return recorded({ action: 'evaluation.rerun', target: targetOf(found) }, async () => {
      const $set = {
        status: 'queued' as const,
        rerun: true,
        error: null,
        ended_at: null,
        attempts: 0,
        due_at: new Date(now),
      };
      const changed = await this.#of(tenantId).update({ _id: id, status: { $in: [...ENDED] } }, { $set });
      if (changed === null) throw notEnded(found);
      return changed;
    });
  }

  /** The results first: after a crash in between, a repeat finds the rest by the record. @throws AppError not_found, conflict */
  async remove(tenantId: string, id: string, recorded: Recorded): Promise<void> {
    const found = await this.get(tenantId, id);
    if (!ENDED.includes(found.status)) throw notEnded(found);
    await recorded({ action: 'evaluation.delete', target: targetOf(found) }, async () => {
      await ofTenant(this.models.results, tenantId).remove({ evaluation_id: id });
      await this.#of(tenantId).remove({ _id: id });
    });
  }

  /** All evaluations of a data set. @throws AppError conflict for one that has not ended */
  async removeOf(tenantId: string, datasetId: string, recorded: Recorded): Promise<void> {
    const found = await this.#of(tenantId).find({ dataset_id: datasetId }, { fields: ['status', 'name'] });
    const active = found.find(({ status }) => !ENDED.includes(status));
    if (active !== undefined) throw notEnded(active);
    for (const { _id } of found) await this.remove(tenantId, _id, recorded);
  }

  #of(tenantId: string): TenantScope<EvaluationRecord> {
    return ofTenant(this.models.evaluations, tenantId);
  }
}

function afterCursor(cursor: string): QueryFilter<EvaluationRecord> {
  const [at, id] = decodeCursor(cursor);
  if (!Number.isSafeInteger(at) || typeof id !== 'string') throw invalidCursor();
  return afterRow('created_at', -1, new Date(at as number), id);
}

const targetOf = ({ _id, name }: Pick<EvaluationRecord, '_id' | 'name'>) => ({ type: 'evaluation', id: _id, name });

const notFound = (id: string): AppError => new AppError('not_found', `There is no evaluation ${id}`);

const ended = ({ name, status }: EvaluationRecord, what: string): AppError =>
  new AppError('conflict', `The evaluation "${name}" has ended (${status}); it ${what}`);

const notEnded = ({ name, status }: Pick<EvaluationRecord, 'name' | 'status'>): AppError =>
  new AppError('conflict', `The evaluation "${name}" is ${status}; wait for its end, or cancel it`);
