import type { OutboxStore } from '../kin';
import type { Collections } from './collections';
import { type ErrandDocument, errandFromDocument } from './documents';

/** Outboxes lie in the documents of the runs that have ended: they are written with the end. */
export function mongoOutboxStore({ executions }: Pick<Collections, 'executions'>): OutboxStore {
  return {
    async outboxes(before, limit) {
      const documents = await executions
        .find({ 'outbox.0': { $exists: true }, ended_at: { $lte: new Date(before) } })
        .sort({ ended_at: 1 })
        .limit(limit)
        .project<{ _id: string; outbox: ErrandDocument[] }>({ outbox: 1 })
        .toArray();
      return documents.map(({ _id, outbox }) => ({ id: _id, outbox: outbox.map(errandFromDocument) }));
    },

    async settle(executionId) {
      await executions.updateOne({ _id: executionId, status: { $ne: 'running' } }, { $set: { outbox: [] } });
    },
  };
}
