import type { OutboxStore } from '../ports/outbox-store';
import type { Collections } from './collections';
import { type OutboxItemDocument, outboxItemFromDocument } from './documents';

/** Outboxes are stored in the documents of ended runs: they are written with the end. */
export function mongoOutboxStore({ executions }: Pick<Collections, 'executions'>): OutboxStore {
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

    async clear(executionId) {
      await executions.updateOne({ _id: executionId, status: { $ne: 'running' } }, { $set: { outbox: [] } });
    },
  };
}
