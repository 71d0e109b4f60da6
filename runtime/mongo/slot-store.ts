import { isDuplicateKey } from '../../lib/duplicate-key';
import type { SlotStore } from '../ports/slot-store';
import type { Collections } from './collections';

/**
 * Slot pools in MongoDB. A pool is never removed: without its `rev`, a delayed write could be mistaken for one of a new
 * pool.
 */
export function mongoSlotStore({ slots }: Pick<Collections, 'slots'>): SlotStore {
  return {
    async pool(tenantId) {
      const document = await slots.findOne({ _id: tenantId });
      return document === null ? { rev: 0, allocations: [] } : { rev: document.rev, allocations: document.shares };
    },

    async compareAndSet(tenantId, rev, allocations) {
      const next = { rev: rev + 1, shares: [...allocations] };
      if (rev > 0) return (await slots.updateOne({ _id: tenantId, rev }, { $set: next })).matchedCount === 1;
      try {
        await slots.insertOne({ _id: tenantId, ...next });
        return true;
      } catch (fault) {
        if (isDuplicateKey(fault)) return false;
        throw fault;
      }
    },
  };
}
