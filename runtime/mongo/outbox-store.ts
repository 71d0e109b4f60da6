import type { OutboxStore } from '../ports/outbox-store';
import { GroupCommit } from './group-commit';
import type { Collections } from './collections';
import { type OutboxItemDocument, outboxItemFromDocument } from './documents';

/** Outboxes are stored in the documents of ended runs: they are written with the end. */
export function mongoOutboxStore({ executions }: Pick<Collections, 'executions'>): OutboxStore {
  const clearing = new GroupCommit<string, void>(async (ids) => {
    const update = (_id: string) => ({
      filter: { _id, status: { $ne: 'running' as const } },
      update: { $set: { outbox: [] } },
    });
    await executions.bulkWrite(
      ids.map((id) => ({ updateOne: update(id) })),
      { ordered: false },
    );
    return ids.map(() => {});
  });
  return {
    async pending(before, limit) {
      const documents = await executions
        .find({ 'outbox.0': { $exists: true }, ended_at: { $lte: new Date(before) } })
        .sort({ ended_at: 1 })
        .limit(limit)
        .project<{ _id: string; outbox: OutboxItemDocument[] }>({ outbox: 1 })
        .toArray();
      return documents.map(({ _id, outbox }) => ({ id: _id, outbox: outbox.map(outboxItemFromDocument) }));
    },

    clear: (executionId) => clearing.add(executionId),
  };
}
