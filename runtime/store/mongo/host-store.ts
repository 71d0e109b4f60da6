import type { HostFigures, HostInfo, HostRow, HostStore } from '../port';
import type { Collections } from './collections';
import type { HostDocument } from './documents';

/** `$$NOW` plus some milliseconds, by the database's clock. */
const fromNow = (ms: number) => ({ $add: ['$$NOW', ms] });

const LIVES = { $in: ['alive', 'draining'] } as const;

/** No claim takes this long to reach the database. */
const FORGET_AFTER_MS = 3_600_000;

/** Hosts and their leases. An update by pipeline reads the time where the document lies. */
export function mongoHostStore({ hosts, executions, slots }: Collections): HostStore {
  /** Runs first: as long as a host has its shares, it is found by them. */
  async function free(ids: readonly string[], now: number): Promise<number> {
    const freed = await executions.updateMany(
      { status: 'running', owner: { $in: ids } },
      { $set: { owner: null, wake_at: new Date(now) } },
    );
    await slots.updateMany(
      { 'shares.host': { $in: ids } },
      { $pull: { shares: { host: { $in: ids } } }, $inc: { rev: 1 } },
    );
    return freed.modifiedCount;
  }

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
              waiting: 0,
              lag_ms: 0,
              state: 'alive',
              started_at: '$$NOW',
              lease_until: fromNow(leaseMs),
            },
          },
        ],
        { upsert: true },
      );
    },

    async renew(host, leaseMs, { draining, running, waiting, lagMs }: HostFigures) {
      const { matchedCount } = await hosts.updateOne({ _id: host, state: LIVES }, [
        {
          $set: {
            lease_until: fromNow(leaseMs),
            state: draining ? 'draining' : 'alive',
            running: { $literal: running },
            waiting: { $literal: waiting },
            lag_ms: { $literal: lagMs },
          },
        },
      ]);
      return matchedCount === 1;
    },

    async bury(by, now, all) {
      const lapsed = all
        ? { state: LIVES, _id: { $ne: by } }
        : { state: LIVES, $expr: { $lt: ['$lease_until', '$$NOW'] } };
      await hosts.updateMany(lapsed, [{ $set: { state: 'dead', ended_at: '$$NOW' } }]);
      const known = await hosts
        .aggregate<Pick<HostDocument, '_id' | 'state'> & { left_ms: number }>([
          { $project: { state: 1, left_ms: { $subtract: ['$lease_until', '$$NOW'] } } },
          { $sort: { _id: 1 } },
        ])
        .toArray();
      const alive = known.filter(({ state }) => state === 'alive');
      const others = known.filter(({ _id, state }) => _id !== by && (state === 'alive' || state === 'draining'));
      // All hosts that are gone, not only those of this sweep: a crash may have come between the writes, and a host may
      // have claimed a run, or taken a share, in the very moment in which it was declared dead. Freeing twice is harmless.
      const gone = known.filter(({ state }) => state === 'dead' || state === 'left').map(({ _id }) => _id);
      const runs = gone.length === 0 ? 0 : await free(gone, now);
      if (gone.length > 0 && runs === 0) {
        const long = { $lt: ['$ended_at', { $subtract: ['$$NOW', FORGET_AFTER_MS] }] };
        await hosts.deleteMany({ _id: { $in: gone }, $expr: long });
      }
      return {
        runs,
        alive: alive.map(({ _id }) => _id),
        lapsesInMs: others.length === 0 ? null : Math.max(0, Math.min(...others.map(({ left_ms }) => left_ms))),
      };
    },

    async leave(host, now) {
      await free([host], now);
      await hosts.updateOne({ _id: host }, [{ $set: { state: 'left', ended_at: '$$NOW' } }]);
    },

    async rows() {
      const known = await hosts
        .aggregate<HostDocument & { lapsed: boolean }>([
          { $addFields: { lapsed: { $lt: ['$lease_until', '$$NOW'] } } },
          { $sort: { started_at: -1 } },
        ])
        .toArray();
      return known.map(rowOf);
    },
  };
}

const rowOf = ({ lapsed, state, ...document }: HostDocument & { lapsed: boolean }): HostRow => ({
  id: document._id,
  nodeId: document.node_id,
  version: document.version,
  capacity: document.capacity,
  running: document.running,
  // Members that hosts of an older version do not write.
  waiting: document.waiting ?? 0,
  lagMs: document.lag_ms ?? 0,
  startedAt: document.started_at.getTime(),
  leaseUntil: document.lease_until.getTime(),
  state: lapsed && state !== 'left' ? 'dead' : state,
});
