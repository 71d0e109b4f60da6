import { isDuplicateKey } from '../../lib/duplicate-key';
import type { GoneHolders, GroupStore, Queued } from '../ports/group-store';
import type { PermitHolder } from '../core/decide/permits';
import { deleteBatchWriter, upsertBatchWriter } from './batch-writers';
import type { Collections } from './collections';
import type { GroupDocument } from './documents';
import { LIVE_STATES } from './host-store';

const holderOf = ({ id, at, host }: GroupDocument['holders'][number]): PermitHolder => ({
  id,
  at: at.getTime(),
  ...(host === undefined ? {} : { host }),
});

/** Differs each time a run begins to wait. */
const queuedSince = (executionId: string, now: number): string => `${executionId}@${now}`;

/** A filter for the group with this state of its queue. */
const withQueue = (group: string, queued: Queued) => ({ _id: group, queued: queued ?? { $exists: false } });

/** Permit holders, one document per group. A group without holders and waiters has no document. */
export function mongoGroupStore({
  executions,
  groups,
  hosts,
}: Pick<Collections, 'executions' | 'groups' | 'hosts'>): GroupStore {
  const acquisitions = upsertBatchWriter(groups);
  const releases = deleteBatchWriter(groups);
  const room = (group: string, executionId: string, limit: number) => ({
    _id: group,
    [`holders.${limit - 1}`]: { $exists: false },
    'holders.id': { $ne: executionId },
  });
  return {
    acquireUnlessQueued(group, { id, host }, limit, now) {
      // When a document exists and does not match, the upsert fails with a duplicate key.
      const filter = { ...room(group, id, limit), queued: false };
      return acquisitions.add({ filter, update: { $push: { holders: { id, at: new Date(now), host } } } });
    },

    async acquire(group, executionId, limit, now) {
      const update = {
        $push: { holders: { id: executionId, at: new Date(now) } },
        // Whether others wait is not known here.
        $setOnInsert: { queued: queuedSince(executionId, now) },
      };
      try {
        await groups.updateOne(room(group, executionId, limit), update, { upsert: true });
        return true;
      } catch (fault) {
        if (!isDuplicateKey(fault)) throw fault;
      }
      return (await groups.findOne({ _id: group, 'holders.id': executionId }, { projection: { _id: 1 } })) !== null;
    },

    releaseOnly: (group, executionId) =>
      releases.add({ ...withQueue(group, false), holders: { $size: 1 }, 'holders.id': executionId }),

    async release(group, executionIds) {
      const left = await groups.findOneAndUpdate(
        { _id: group },
        { $pull: { holders: { id: { $in: [...executionIds] } } } },
        { returnDocument: 'after' },
      );
      return left === null
        ? { holders: [], queued: false }
        : { holders: left.holders.map(holderOf), queued: left.queued ?? null };
    },

    async markQueued(group, executionId, now) {
      const update = { $set: { queued: queuedSince(executionId, now) }, $setOnInsert: { holders: [] } };
      try {
        await groups.updateOne({ _id: group }, update, { upsert: true });
      } catch (fault) {
        if (!isDuplicateKey(fault)) throw fault;
        // Another upsert came between: now there is a document.
        await groups.updateOne({ _id: group }, update, { upsert: true });
      }
    },

    async clearQueued(group, queued) {
      const { deletedCount } = await groups.deleteOne({ ...withQueue(group, queued), holders: { $size: 0 } });
      if (deletedCount === 0 && queued !== false)
        await groups.updateOne(withQueue(group, queued), { $set: { queued: false } });
    },

    async holders(group) {
      const document = await groups.findOne({ _id: group });
      return (document?.holders ?? []).map(holderOf);
    },

    async waiters(group, limit) {
      const documents = await executions
        .find({ 'concurrency.group': group, status: 'running' })
        .sort({ rank: 1, started_at: 1, _id: 1 })
        .limit(limit)
        .project<{ _id: string; started_at: Date; concurrency: { limit: number } }>({
          started_at: 1,
          'concurrency.limit': 1,
        })
        .toArray();
      return documents.map(({ _id, started_at, concurrency: { limit: own } }) => ({
        id: _id,
        startedAt: started_at.getTime(),
        limit: own,
      }));
    },

    async gone(holders): Promise<GoneHolders> {
      const hostIds = [...new Set(holders.flatMap(({ host }) => (host === undefined ? [] : [host])))];
      const live = await hosts
        .find({ _id: { $in: hostIds }, state: LIVE_STATES })
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      const liveIds = new Set(live.map(({ _id }) => _id));
      const ids = holders.map(({ id }) => id);
      const found = await executions
        .find({ _id: { $in: ids } })
        .project<{ _id: string; status: string }>({ status: 1 })
        .toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return {
        ended: found.filter(({ status }) => status !== 'running').map(({ _id }) => _id),
        absent: ids.filter((id) => !known.has(id)),
        deadHosts: hostIds.filter((id) => !liveIds.has(id)),
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
