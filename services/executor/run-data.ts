import { ConcurrencyGroups } from '../../runtime/worker/concurrency-groups';
import { messageSender, Outbox } from '../../runtime/worker/outbox';
import { idRange } from '../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import { mongoOutboxStore } from '../../runtime/mongo/outbox-store';
import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import type { Decisions } from './decisions';
import type { Feedback } from './feedback';
import type { Messages } from './messages';
import type { Records } from './records';
import type { RemovedRun } from './usage/usage-totals';

/** Dependencies of the removal of runs. */
export interface PurgeContext {
  readonly app: App;
  readonly records: Records;
  readonly messages: Messages;
  readonly feedback: Feedback;
  readonly decisions: Decisions;
  readonly call: Call;
  /** Starts the workflows that are triggered by the end of a run. */
  readonly announce: (executionId: string) => Promise<void>;
}

/** The fields of a run's document that its removal needs. */
export type RemovedRunDocument = Pick<ExecutionDocument, '_id' | 'started_at' | 'parent'>;

export const removedRun = ({ _id, started_at, parent }: RemovedRunDocument): RemovedRun => ({
  id: _id,
  startedAt: started_at.getTime(),
  child: parent !== null,
});

/** Removes journals, messages, payloads, log lines, ratings and decisions of runs of a tenant. Idempotent. */
export async function removeRunData(
  { records, feedback, decisions }: Pick<PurgeContext, 'records' | 'feedback' | 'decisions'>,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const { journal, signals, payloads, logs } = records.collections;
  for (const collection of [journal, signals, payloads, logs]) {
    await collection.bulkWrite(
      ids.map((id) => ({ deleteMany: { filter: { _id: idRange(id) } } })),
      { ordered: false },
    );
  }
  await Promise.all([feedback.remove(tenantId, ids), decisions.remove(tenantId, ids)]);
}

/**
 * Processes pending outbox items of ended runs before their removal: a removed run that has not notified its parent of
 * its end would leave the parent waiting without a limit, and keep its concurrency permit. A parent that has not read a large
 * output yet finds it gone, and its step fails.
 */
export async function processOutboxes(
  { app, records, messages, announce }: PurgeContext,
  ids: readonly string[],
): Promise<void> {
  const unsettled = await records.collections.executions
    .find({ _id: { $in: [...ids] }, 'outbox.0': { $exists: true } })
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  if (unsettled.length === 0) return;
  const { store, collections } = records;
  const { clock } = app;
  const sendMessage = messageSender({
    store,
    clock,
    onMessageStored: (executionId, _, owner) => messages.hint(executionId, owner),
  });
  const groups = new ConcurrencyGroups({
    store,
    groups: records.groups,
    clock,
    sendMessage,
    poke: () => messages.wake(),
  });
  const outbox = new Outbox({
    outboxes: mongoOutboxStore(collections),
    clock,
    sendMessage,
    releasePermit: (id, group, limit) => groups.release(id, group, limit),
    publishEnd: announce,
  });
  for (const { _id } of unsettled) {
    const execution = await records.store.load(_id);
    if (execution !== null) await outbox.process(execution);
  }
}
