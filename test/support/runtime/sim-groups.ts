import type { PermitHolder } from '../../../runtime/core/decide/permits';
import type { GroupStore } from '../../../runtime/ports/group-store';
import type { OutboxStore } from '../../../runtime/ports/outbox-store';
import type { KeptOutput, OutputStore } from '../../../runtime/ports/output-store';
import type { Execution } from '../../../runtime/core/model';

/** The parts of the simulated database that concern several runs. */
export interface SimSharedDatabase {
  readonly executions: Map<string, Execution>;
  readonly groups: Map<string, PermitHolder[]>;
}

/** A request of a connection, which counts it, and may fail or delay it. */
type Ask = <T>(verb: string, what: () => T) => Promise<T>;

const unended = (db: SimSharedDatabase): Execution[] =>
  [...db.executions.values()].filter(({ status }) => status === 'running');

export const simOutboxes = (db: SimSharedDatabase, read: Ask, write: Ask): OutboxStore => ({
  pending: (before, limit) =>
    read('outboxes', () =>
      [...db.executions.values()]
        .filter(({ endedAt, outbox }) => endedAt !== null && endedAt <= before && outbox.length > 0)
        .sort((a, b) => (a.endedAt as number) - (b.endedAt as number))
        .slice(0, limit)
        .map(({ id, outbox }) => ({ id, outbox })),
    ),
  clear: (id) =>
    write('settle', () => {
      const execution = db.executions.get(id);
      if (execution !== undefined && execution.status !== 'running')
        db.executions.set(id, { ...execution, outbox: [] });
    }),
});

export const simGroups = (db: SimSharedDatabase, read: Ask, write: Ask): GroupStore => ({
  acquire: (group, id, limit, now) =>
    write('enter', () => {
      const holders = db.groups.get(group) ?? [];
      if (holders.some((holder) => holder.id === id)) return true;
      if (holders.length >= limit) return false;
      db.groups.set(group, [...holders, { id, at: now }]);
      return true;
    }),
  release: (group, ids) =>
    write('leave', () => {
      const left = (db.groups.get(group) ?? []).filter(({ id }) => !ids.includes(id));
      if (left.length === 0) db.groups.delete(group);
      else db.groups.set(group, left);
    }),
  holders: (group) => read('holders', () => db.groups.get(group) ?? []),
  waiters: (group, limit) =>
    read('members', () =>
      unended(db)
        .filter(({ concurrency }) => concurrency?.group === group)
        .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ id, startedAt }) => ({ id, startedAt })),
    ),
  endedOrAbsent: (ids) =>
    read('gone', () => ({
      ended: ids.filter((id) => (db.executions.get(id)?.status ?? 'running') !== 'running'),
      absent: ids.filter((id) => !db.executions.has(id)),
    })),
  wake: (ids, now) =>
    write('wake', () => {
      for (const execution of unended(db)) {
        const { id, status, messageSeq: inbox, wakeAt } = execution;
        if (status === 'running' && ids.includes(id))
          db.executions.set(id, {
            ...execution,
            messageSeq: inbox + 1,
            wakeAt: wakeAt === null ? null : Math.min(wakeAt, now),
          });
      }
    }),
});

export const simOutputs = (db: { outputs: Map<string, KeptOutput> }, read: Ask, write: Ask): OutputStore => ({
  find: (key, now) =>
    read('findOutput', () => {
      const kept = db.outputs.get(key);
      return kept !== undefined && kept.until > now ? kept.output : null;
    }),
  keep: (key, kept) => write('keepOutput', () => void db.outputs.set(key, structuredClone(kept))),
});
