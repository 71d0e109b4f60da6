import { isDuplicateKey } from '../../lib/duplicate-key';
import type { GroupStore } from '../ports/group-store';
import type { Collections } from './collections';

/** Permit holders, one document per group. A group without holders has no document. */
export function mongoGroupStore({ executions, groups }: Pick<Collections, 'executions' | 'groups'>): GroupStore {
  return {
    async acquire(group, executionId, limit, now) {
      const room = { _id: group, [`holders.${limit - 1}`]: { $exists: false }, 'holders.id': { $ne: executionId } };
      try {
        // When the document exists and is full, the upsert fails with a duplicate key.
        await groups.updateOne(room, { $push: { holders: { id: executionId, at: new Date(now) } } }, { upsert: true });
        return true;
      } catch (fault) {
        if (!isDuplicateKey(fault)) throw fault;
      }
      return (await groups.findOne({ _id: group, 'holders.id': executionId }, { projection: { _id: 1 } })) !== null;
    },

    async release(group, executionIds) {
      await groups.updateOne({ _id: group }, { $pull: { holders: { id: { $in: [...executionIds] } } } });
      await groups.deleteOne({ _id: group, holders: { $size: 0 } });
    },

    async holders(group) {
      const document = await groups.findOne({ _id: group });
      return (document?.holders ?? []).map(({ id, at }) => ({ id, at: at.getTime() }));
    },

    async waiters(group, limit) {
      const documents = await executions
        .find({ 'concurrency.group': group, status: 'running' })
        .sort({ started_at: 1, _id: 1 })
        .limit(limit)
        .project<{ _id: string; started_at: Date }>({ started_at: 1 })
        .toArray();
      return documents.map(({ _id, started_at }) => ({ id: _id, startedAt: started_at.getTime() }));
    },

    async endedOrAbsent(executionIds) {
      const found = await executions
        .find({ _id: { $in: [...executionIds] } })
        .project<{ _id: string; status: string }>({ status: 1 })
        .toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return {
        ended: found.filter(({ status }) => status !== 'running').map(({ _id }) => _id),
        absent: executionIds.filter((id) => !known.has(id)),
      };
    },

    async wake(executionIds, now) {
      await executions.updateMany(
        { _id: { $in: [...executionIds] }, status: 'running' },
        { $inc: { inbox: 1 }, $min: { wake_at: new Date(now) } },
      );
    },
  };
}
