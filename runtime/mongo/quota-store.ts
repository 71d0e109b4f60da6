import { nullOnDuplicate } from '../../lib/duplicate-key';
import { NO_USE } from '../core/decide/quota';
import { CONNECTION_FORMAT } from '../core/format';
import type { QuotaStore } from '../ports/quota-store';
import type { Collections } from './collections';
import type { WindowDocument } from './window-documents';

/** The use of connections, in the collection of windows: one document for each. Removed when nothing in it counts any more. */
export function mongoQuotaStore({ executions, windows }: Pick<Collections, 'executions' | 'windows'>): QuotaStore {
  return {
    async read(connection) {
      const found = await windows.findOne({ _id: connection });
      if (found === null) return { quota: NO_USE, revision: null };
      const { starts, uses = [], waiters = [], revision } = found;
      return {
        quota: {
          starts: starts.map(({ id, at }) => ({ id, at: at.getTime() })),
          uses,
          waiters: waiters.map(({ since, due, ...waiter }) => ({
            ...waiter,
            since: since.getTime(),
            due: due.getTime(),
          })),
        },
        revision,
      };
    },

    async write(connection, before, { starts, uses, waiters }, revision, until) {
      const next: Omit<WindowDocument, '_id'> = {
        starts: starts.map(({ id, at }) => ({ id, at: new Date(at) })),
        uses: [...uses],
        waiters: waiters.map(({ since, due, ...waiter }) => ({
          ...waiter,
          since: new Date(since),
          due: new Date(due),
        })),
        queued: waiters.length > 0,
        revision,
        until: new Date(until),
      };
      if (before.revision === null)
        return (await nullOnDuplicate(windows.insertOne({ _id: connection, ...next }))) !== null;
      const { matchedCount } = await windows.updateOne({ _id: connection, revision: before.revision }, { $set: next });
      return matchedCount === 1;
    },

    async running(runs) {
      const found = await executions
        .find({ _id: { $in: [...runs] }, status: 'running' })
        .project<{ _id: string; owner: string | null; epoch: number }>({ owner: 1, epoch: 1 })
        .toArray();
      return new Map(found.map(({ _id, owner, epoch }) => [_id, owner === null ? null : epoch]));
    },

    async mark(run) {
      await executions.updateOne({ _id: run, status: 'running' }, { $max: { format: CONNECTION_FORMAT } });
    },

    async wakeAt(run, at) {
      await executions.updateOne(
        { _id: run, status: 'running' },
        { $inc: { inbox: 1 }, $min: { wake_at: new Date(at) } },
      );
    },
  };
}
