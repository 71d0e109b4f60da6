import { ofTenant } from '../../../lib/tenant';
import type { EvaluationRecord, ResultRecord } from '../models';
import type { WorkDeps } from './deps';
import { runIdOf } from './ids';
import { pendingResults } from './results';

/** The most ids of one question for statuses. */
const BATCH = 400;

/**
 * Cancels the runs of all results that are not there, and marks the results. The ids of runs are derived, so that runs are
 * found that a process started before it died.
 */
export async function cancelRest(
  deps: WorkDeps,
  evaluation: EvaluationRecord,
  state: 'cancelled' | 'skipped',
): Promise<void> {
  const { models, call, app } = deps;
  const { _id, tenant_id } = evaluation;
  const asService = { asServiceOf: tenant_id };
  let after = 0;
  for (;;) {
    const batch = await pendingResults(models, evaluation, after, BATCH);
    const runs = new Map(
      batch.map((result) => [runIdOf(app.keys.ids, _id, result.version_id, result.attempt), result]),
    );
    const { data } =
      runs.size === 0 ? { data: [] } : await call('executions.statuses', { ids: [...runs.keys()] }, asService);
    for (const { id, status } of data) {
      if (status === 'running') await call('executions.stop', { id }, asService);
      const { _id: resultId } = runs.get(id) as ResultRecord;
      await ofTenant(models.results, tenant_id).update(
        { _id: resultId, state: 'pending' },
        { $set: { execution_id: id } },
      );
    }
    if (batch.length < BATCH) break;
    after = (batch.at(-1) as ResultRecord).n;
  }
  await models.results.updateMany({ tenant_id, evaluation_id: _id, state: 'pending' }, { $set: { state } }).exec();
}
