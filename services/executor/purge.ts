import { errorCode } from '../../lib/errors';
import { Kin } from '../../runtime/host/kin';
import { mongoGroupStore } from '../../runtime/store/mongo/group-store';
import { mongoOutboxStore } from '../../runtime/store/mongo/outbox-store';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { ExecutionDocument } from '../../runtime/store/mongo/documents';
import type { Records } from './records';
import type { Feedback } from './feedback';
import type { Messages } from './messages';
import type { Leaving } from './usage/ledger';

const BATCH = 200;
const CANCEL_WAIT_MS = 5_000;

/** What it takes to remove runs as others expect it. */
export interface Purging {
  readonly app: App;
  readonly records: Records;
  readonly messages: Messages;
  readonly feedback: Feedback;
  readonly call: Call;
  /** Starts whatever begins by the end of a run. */
  readonly announce: (executionId: string) => Promise<void>;
}

/**
 * Cancels the running executions of a workflow, then removes all of them with their journals, messages, payloads and files.
 * Belongings go before the run's own document: a crash in between leaves a document from which a repeat finds the rest.
 */
export async function purgeWorkflow(purging: Purging, tenantId: string, workflowId: string): Promise<number> {
  const { app, records, messages, feedback, call } = purging;
  const { executions, journal, signals, payloads, outputs } = records.collections;
  const own = { tenant_id: tenantId, workflow_id: workflowId };
  await cancelRunning(records, messages, own);
  await call('files.remove', { workflow_id: workflowId }, { asServiceOf: tenantId });
  await outputs.deleteMany(own);
  let removed = 0;
  for (;;) {
    const batch = await executions
      .find({ ...own, status: { $ne: 'running' } })
      .limit(BATCH)
      .project<Pick<ExecutionDocument, '_id' | 'started_at' | 'parent'>>({ started_at: 1, parent: 1 })
      .toArray();
    if (batch.length === 0) return removed;
    const ids = batch.map((document) => document._id);
    await settle(purging, ids);
    for (const collection of [journal, signals, payloads]) {
      await collection.bulkWrite(
        ids.map((id) => ({ deleteMany: { filter: { _id: { $gte: `${id}:`, $lt: `${id};` } } } })),
        { ordered: false },
      );
    }
    await feedback.remove(tenantId, ids);
    // What was used stays used, so that nobody gets his quota back by deleting.
    removed += await records.usage.ledger.remove(tenantId, batch.map(leaving), app.clock.now());
  }
}

const leaving = ({ _id, started_at, parent }: Pick<ExecutionDocument, '_id' | 'started_at' | 'parent'>): Leaving => ({
  id: _id,
  startedAt: started_at.getTime(),
  child: parent !== null,
});

/**
 * What their ends have still to tell other runs goes first: with its own document a run that has not told its parent of
 * its end would leave that one waiting for ever, and its place in a group taken. A parent that has not fetched a large
 * output yet finds it gone, and its step fails.
 */
async function settle({ app, records, messages, announce }: Purging, ids: readonly string[]): Promise<void> {
  const unsettled = await records.collections.executions
    .find({ _id: { $in: [...ids] }, 'outbox.0': { $exists: true } })
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  if (unsettled.length === 0) return;
  const kin = new Kin({
    store: records.store,
    groups: mongoGroupStore(records.collections),
    outboxes: mongoOutboxStore(records.collections),
    clock: app.clock,
    tell: (executionId, _, owner) => messages.hint(executionId, owner),
    poke: () => messages.wake(),
    announce,
  });
  for (const { _id } of unsettled) {
    const execution = await records.store.load(_id);
    if (execution !== null) await kin.settle(execution);
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
  const end = records.tidings.ended(id, CANCEL_WAIT_MS);
  try {
    await messages.cancel(id, null);
    await end.heard;
  } catch (fault) {
    // It ended by itself in this very moment.
    if (errorCode(fault) !== 'execution_ended' && errorCode(fault) !== 'not_found') throw fault;
  }
}
