import { errorCode } from '../../lib/errors';
import { removedRun, type RemovedRunDocument, type PurgeContext, removeRunData, processOutboxes } from './run-data';
import type { Messages } from './messages';
import type { Records } from './records';

const BATCH = 200;
const CANCEL_WAIT_MS = 5_000;

/**
 * Cancels the running executions of a workflow, then removes all of them with their journals, messages, payloads and files.
 * The data of a run is removed before its own document: after a crash in between, a repeat finds the rest by the document.
 */
export async function purgeWorkflow(purging: PurgeContext, tenantId: string, workflowId: string): Promise<number> {
  const { app, records, messages, call } = purging;
  const { executions, outputs } = records.collections;
  const own = { tenant_id: tenantId, workflow_id: workflowId };
  await cancelRunning(records, messages, own);
  await call('files.remove', { workflow_id: workflowId }, { asServiceOf: tenantId });
  await outputs.deleteMany(own);
  let removed = 0;
  for (;;) {
    const batch = await executions
      .find({ ...own, status: { $ne: 'running' } })
      .limit(BATCH)
      .project<RemovedRunDocument>({ started_at: 1, parent: 1 })
      .toArray();
    if (batch.length === 0) return removed;
    const ids = batch.map((document) => document._id);
    await processOutboxes(purging, ids);
    await removeRunData(purging, tenantId, ids);
    // Removed runs still count, so that deleting does not restore quota.
    removed += await records.usage.totals.remove(tenantId, batch.map(removedRun), app.clock.now());
  }
}

/** In batches: a workflow may have any number of waiting runs. */
async function cancelRunning(
  records: Records,
  messages: Messages,
  own: { tenant_id: string; workflow_id: string },
): Promise<void> {
  let last = '';
  for (;;) {
    const running = await records.collections.executions
      .find({ ...own, status: 'running', _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .project<{ _id: string }>({ _id: 1 })
      .toArray();
    if (running.length === 0) return;
    await Promise.all(running.map(({ _id }) => cancel(records, messages, _id)));
    last = (running.at(-1) as { _id: string })._id;
  }
}

async function cancel(records: Records, messages: Messages, id: string): Promise<void> {
  const end = records.runEnds.ended(id, CANCEL_WAIT_MS);
  try {
    await messages.cancel(id, null);
    await end.finished;
  } catch (fault) {
    // The run ended meanwhile.
    if (errorCode(fault) !== 'execution_ended' && errorCode(fault) !== 'not_found') throw fault;
  }
}
