import type { SlotStore } from '../port';
import { type Collections, isDuplicate } from './collections';

/**
 * Tenants' slots on MongoDB. A ledger is never removed: with its `rev` gone, a write that was delayed on its way could
 * pass for one of a new ledger.
 */
export function mongoSlotStore({ slots }: Pick<Collections, 'slots'>): SlotStore {
  return {
    async ledger(tenantId) {
      const document = await slots.findOne({ _id: tenantId });
      return document === null ? { rev: 0, shares: [] } : { rev: document.rev, shares: document.shares };
    },

    async swap(tenantId, rev, shares) {
      const next = { rev: rev + 1, shares: [...shares] };
      if (rev > 0) return (await slots.updateOne({ _id: tenantId, rev }, { $set: next })).matchedCount === 1;
      try {
        await slots.insertOne({ _id: tenantId, ...next });
        return true;
      } catch (fault) {
        if (isDuplicate(fault)) return false;
        throw fault;
      }
    },
  };
}
