import type { GroupStore, Holder, OutboxStore } from '../../../runtime/store/kin';
import type { KeptOutput, OutputStore } from '../../../runtime/store/output-store';
import type { Execution } from '../../../runtime/store/port';

/** The parts of the simulated database that runs share. */
export interface SimKinDatabase {
  readonly executions: Map<string, Execution>;
  readonly groups: Map<string, Holder[]>;
}

/** How a connection asks: it counts, fails and holds. */
type Ask = <T>(verb: string, what: () => T) => Promise<T>;

const unended = (db: SimKinDatabase): Execution[] =>
  [...db.executions.values()].filter(({ status }) => status === 'running');

export const simOutboxes = (db: SimKinDatabase, read: Ask, write: Ask): OutboxStore => ({
  outboxes: (before, limit) =>
    read('outboxes', () =>
      [...db.executions.values()]
        .filter(({ endedAt, outbox }) => endedAt !== null && endedAt <= before && outbox.length > 0)
        .sort((a, b) => (a.endedAt as number) - (b.endedAt as number))
        .slice(0, limit)
        .map(({ id, outbox }) => ({ id, outbox })),
    ),
  settle: (id) =>
    write('settle', () => {
      const execution = db.executions.get(id);
      if (execution !== undefined && execution.status !== 'running')
        db.executions.set(id, { ...execution, outbox: [] });
    }),
});

export const simGroups = (db: SimKinDatabase, read: Ask, write: Ask): GroupStore => ({
  enter: (group, id, limit, now) =>
    write('enter', () => {
      const holders = db.groups.get(group) ?? [];
      if (holders.some((holder) => holder.id === id)) return true;
      if (holders.length >= limit) return false;
      db.groups.set(group, [...holders, { id, at: now }]);
      return true;
    }),
  leave: (group, ids) =>
    write('leave', () => {
      const left = (db.groups.get(group) ?? []).filter(({ id }) => !ids.includes(id));
      if (left.length === 0) db.groups.delete(group);
      else db.groups.set(group, left);
    }),
  holders: (group) => read('holders', () => db.groups.get(group) ?? []),
  members: (group, limit) =>
    read('members', () =>
      unended(db)
        .filter(({ concurrency }) => concurrency?.group === group)
        .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ id, startedAt }) => ({ id, startedAt })),
    ),
  gone: (ids) =>
    read('gone', () => ({
      ended: ids.filter((id) => (db.executions.get(id)?.status ?? 'running') !== 'running'),
      absent: ids.filter((id) => !db.executions.has(id)),
    })),
  wake: (ids, now) =>
    write('wake', () => {
      for (const execution of unended(db)) {
        const { id, status, inbox, wakeAt } = execution;
        if (status === 'running' && ids.includes(id))
          db.executions.set(id, {
            ...execution,
            inbox: inbox + 1,
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
