import { errorMessage } from '../../../lib/errors';
import type { Lease } from '../../../mixins/leased-work/lease';
import { isPoison } from '../../../mixins/leased-work/retry-policy';
import type { EvaluationStatus } from '../../../contracts/evaluations/views';
import type { EvaluationRecord } from '../models';
import type { Metric } from '../metrics/definition';
import { cancelRest } from './cancel';
import type { WorkDeps } from './deps';
import { countDone, resetFailed } from './results';
import { prepareResults } from './prepare';
import { RowWorkers } from './row-workers';
import { EvaluationFault } from './run-row';

type EvaluationLease = Lease<EvaluationRecord>;

/** Works on an evaluation until it ends or the lease is lost. Every step may be repeated after a crash. */
export const processEvaluation =
  (deps: WorkDeps) =>
  async (lease: EvaluationLease): Promise<void> => {
    const { clock } = deps.app;
    const { record } = lease;
    const metrics = JSON.parse(record.metrics) as Metric[];
    if (isPoison(record.attempts))
      return end(deps, lease, metrics, 'failed', 'The work on this evaluation has ended its process too often');
    if (record.cancelling) {
      await cancelRest(deps, record, 'cancelled');
      return end(deps, lease, metrics, 'cancelled', null);
    }
    try {
      if (record.status === 'queued')
        await lease.write({ status: 'running', started_at: record.started_at ?? new Date(clock.now()) });
      if (!record.prepared) {
        if (!(await prepareResults(deps.models, record)))
          throw new EvaluationFault('Rows of the data set were removed while the evaluation began; start it again');
        await lease.write({ prepared: true });
      }
      if (record.rerun) {
        await resetFailed(deps.models, record);
        await lease.write({ rerun: false });
      }
      const summary = await countDone(deps.models, record, metrics);
      const ended = await new RowWorkers(deps, lease, metrics, summary).run();
      if (ended === 'interrupted') return;
      if (ended === 'budget_exceeded') await cancelRest(deps, record, 'skipped');
      return await end(deps, lease, metrics, ended, null);
    } catch (fault) {
      if (!(fault instanceof EvaluationFault)) throw fault;
      await cancelRest(deps, record, 'skipped');
      return end(deps, lease, metrics, 'failed', errorMessage(fault));
    }
  };

/** The last write: the status with the sums of all results. */
async function end(
  deps: WorkDeps,
  lease: EvaluationLease,
  metrics: readonly Metric[],
  status: EvaluationStatus,
  error: string | null,
): Promise<void> {
  const { record } = lease;
  const summary = await countDone(deps.models, record, metrics);
  const ended_at = new Date(deps.app.clock.now());
  const $set = {
    status,
    error,
    ended_at,
    cancelling: false,
    done: summary.rows,
    summary: JSON.stringify(summary.summary()),
  };
  await lease.release($set, null);
}
