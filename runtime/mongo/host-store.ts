import type { HostFigures, HostInfo, HostRow, HostStore } from '../ports/host-store';
import type { Collections } from './collections';
import type { HostDocument } from './documents';

/** `$$NOW` plus some milliseconds, by the database's clock. */
const fromNow = (ms: number) => ({ $add: ['$$NOW', ms] });

/** States of hosts that may act. */
export const LIVE_STATES = { $in: ['alive', 'draining'] } as const;

/** Rows of expired hosts are kept this long: no claim takes longer to reach the database. */
const EXPIRED_KEPT_MS = 3_600_000;

/** Hosts and their leases. Updates by pipeline use the clock of the database. */
export function mongoHostStore({ hosts, executions, slots }: Collections): HostStore {
  /** Runs first: an interrupted call is repeated as long as the host has allocations. */
  async function free(ids: readonly string[], now: number, more: { claims?: 0 } = {}): Promise<number> {
    const freed = await executions.updateMany(
      { status: 'running', owner: { $in: ids } },
      { $set: { owner: null, wake_at: new Date(now), ...more } },
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
      const { matchedCount } = await hosts.updateOne({ _id: host, state: LIVE_STATES }, [
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

    async expireHosts(by, now, all) {
      const lapsed = all
        ? { state: LIVE_STATES, _id: { $ne: by } }
        : { state: LIVE_STATES, $expr: { $lt: ['$lease_until', '$$NOW'] } };
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
      // have claimed a run, or allocated slots, at the moment it was declared dead. Freeing twice is harmless.
      const gone = known.filter(({ state }) => state === 'dead' || state === 'left').map(({ _id }) => _id);
      const runs = gone.length === 0 ? 0 : await free(gone, now);
      if (gone.length > 0 && runs === 0) {
        const long = { $lt: ['$ended_at', { $subtract: ['$$NOW', EXPIRED_KEPT_MS] }] };
        await hosts.deleteMany({ _id: { $in: gone }, $expr: long });
      }
      return {
        runs,
        alive: alive.map(({ _id }) => _id),
        lapsesInMs: others.length === 0 ? null : Math.max(0, Math.min(...others.map(({ left_ms }) => left_ms))),
      };
    },

    async leave(host, now) {
      // An orderly stop does not count against the runs that it interrupts.
      await free([host], now, { claims: 0 });
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
  // Members that older versions do not write.
  waiting: document.waiting ?? 0,
  lagMs: document.lag_ms ?? 0,
  startedAt: document.started_at.getTime(),
  leaseUntil: document.lease_until.getTime(),
  state: lapsed && state !== 'left' ? 'dead' : state,
});
