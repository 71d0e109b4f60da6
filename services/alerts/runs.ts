import type { EndedRun } from '../../contracts/alerts';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { ofTenant } from '../../lib/tenant';
import { type AlertModels, raw, type RunRecord } from './models';

/** A repeated report of a run arrives well within this time. */
const KEPT_MS = 86_400_000;
const MAX_BATCH = 200;

/** A run of a tenant, as it is reported. */
export interface Report {
  readonly tenantId: string;
  readonly run: EndedRun;
}

/** Ended runs that wait to be counted by rules, each once. */
export class EndedRuns {
  constructor(private readonly models: Pick<AlertModels, 'runs'>) {}

  /** Stores reports; those of known runs change nothing. */
  async add(reports: readonly Report[], now: number): Promise<void> {
    const records = reports.map(
      ({ tenantId, run }): RunRecord => ({
        _id: run.id,
        tenant_id: tenantId,
        workflow_id: run.workflow_id,
        workflow_name: run.workflow_name,
        status: run.status,
        ended_at: new Date(run.ended_at),
        duration_ms: run.duration_ms,
        pending: true,
        expires_at: new Date(now + KEPT_MS),
      }),
    );
    try {
      await raw(this.models.runs).insertMany(records, { ordered: false });
    } catch (fault) {
      // The unordered insert has written all others.
      if (!isDuplicateKey(fault)) throw fault;
    }
  }

  /** Ids of runs that wait, the first to end first. */
  async pending(tenantId: string): Promise<string[]> {
    const page = { sort: { ended_at: 1 as const }, limit: MAX_BATCH, fields: ['_id'] };
    return (await ofTenant(this.models.runs, tenantId).find({ pending: true }, page)).map(({ _id }) => _id);
  }

  /** In the order of their ends; of two at the same time, of their ids, so that every reader has the same order. */
  async read(tenantId: string, ids: readonly string[]): Promise<EndedRun[]> {
    const found = await ofTenant(this.models.runs, tenantId).find({ _id: { $in: [...ids] } });
    return found
      .map((record) => ({
        id: record._id,
        workflow_id: record.workflow_id,
        workflow_name: record.workflow_name,
        status: record.status,
        ended_at: record.ended_at.getTime(),
        duration_ms: record.duration_ms,
      }))
      .sort((a, b) => a.ended_at - b.ended_at || (a.id < b.id ? -1 : 1));
  }

  async counted(tenantId: string, ids: readonly string[]): Promise<void> {
    const own = { _id: { $in: [...ids] }, tenant_id: tenantId };
    await this.models.runs.updateMany(own, { $set: { pending: false } }).exec();
  }
}
