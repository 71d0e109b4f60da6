import type { HostInfo, HostStore } from '../port';
import type { Collections } from './collections';

/** `$$NOW` plus some milliseconds, by the database's clock. */
const fromNow = (ms: number) => ({ $add: ['$$NOW', ms] });

/** No claim takes this long to reach the database. */
const FORGET_AFTER_MS = 3_600_000;

/** Hosts and their leases. An update by pipeline reads the time where the document lies. */
export function mongoHostStore({ hosts, executions }: Collections): HostStore {
  return {
    async register(host: HostInfo, leaseMs) {
      const { id, ...info } = host;
      await hosts.updateOne(
        { _id: id },
        [
          {
            $set: {
              node_id: info.nodeId,
              version: info.version,
              capacity: info.capacity,
              running: 0,
              state: 'alive',
              started_at: '$$NOW',
              lease_until: fromNow(leaseMs),
            },
          },
        ],
        { upsert: true },
      );
    },

    async renew(host, leaseMs, running) {
      const { matchedCount } = await hosts.updateOne({ _id: host, state: 'alive' }, [
        { $set: { lease_until: fromNow(leaseMs), running: { $literal: running } } },
      ]);
      return matchedCount === 1;
    },

    async bury(by, now, all) {
      const lapsed = all
        ? { state: 'alive', _id: { $ne: by } }
        : { state: 'alive', $expr: { $lt: ['$lease_until', '$$NOW'] } };
      await hosts.updateMany(lapsed as object, [{ $set: { state: 'dead', ended_at: '$$NOW' } }]);
      // All hosts that are gone, not only those of this sweep: a crash may have come between the two writes, and a
      // host may have claimed a run in the very moment in which it was declared dead. Giving back twice is harmless.
      const gone = await hosts
        .find({ state: { $in: ['dead', 'left'] } })
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      const ids = gone.map((host) => host._id);
      if (ids.length === 0) return { runs: 0 };
      const freed = await executions.updateMany(
        { status: 'running', owner: { $in: ids } },
        { $set: { owner: null, wake_at: new Date(now) } },
      );
      if (freed.modifiedCount === 0) {
        const long = { $lt: ['$ended_at', { $subtract: ['$$NOW', FORGET_AFTER_MS] }] };
        await hosts.deleteMany({ _id: { $in: ids }, $expr: long });
      }
      return { runs: freed.modifiedCount };
    },

    async leave(host, now) {
      await executions.updateMany(
        { status: 'running', owner: host },
        { $set: { owner: null, wake_at: new Date(now) } },
      );
      await hosts.updateOne({ _id: host }, [{ $set: { state: 'left', ended_at: '$$NOW' } }]);
    },
  };
}
