import { Kin } from '../../runtime/host/kin';
import { idRange } from '../../runtime/store/mongo/collections';
import type { ExecutionDocument } from '../../runtime/store/mongo/documents';
import { mongoGroupStore } from '../../runtime/store/mongo/group-store';
import { mongoOutboxStore } from '../../runtime/store/mongo/outbox-store';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { Feedback } from './feedback';
import type { Messages } from './messages';
import type { Records } from './records';
import type { Leaving } from './usage/ledger';

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

/** What of a run's document is needed when it goes. */
export type LeavingDocument = Pick<ExecutionDocument, '_id' | 'started_at' | 'parent'>;

export const leaving = ({ _id, started_at, parent }: LeavingDocument): Leaving => ({
  id: _id,
  startedAt: started_at.getTime(),
  child: parent !== null,
});

/** Removes journals, messages, payloads and ratings of runs of a tenant. Repeating it is harmless. */
export async function removeBelongings(
  { records, feedback }: Pick<Purging, 'records' | 'feedback'>,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const { journal, signals, payloads } = records.collections;
  for (const collection of [journal, signals, payloads]) {
    await collection.bulkWrite(
      ids.map((id) => ({ deleteMany: { filter: { _id: idRange(id) } } })),
      { ordered: false },
    );
  }
  await feedback.remove(tenantId, ids);
}

/**
 * What their ends have still to tell other runs goes first: with its own document a run that has not told its parent of
 * its end would leave that one waiting for ever, and its place in a group taken. A parent that has not fetched a large
 * output yet finds it gone, and its step fails.
 */
export async function settleEnds({ app, records, messages, announce }: Purging, ids: readonly string[]): Promise<void> {
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
