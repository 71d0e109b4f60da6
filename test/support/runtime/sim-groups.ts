import type { GroupState, GroupStore } from '../../../runtime/ports/group-store';
import type { OutboxStore } from '../../../runtime/ports/outbox-store';
import type { KeptOutput, OutputStore } from '../../../runtime/ports/output-store';
import { NO_USE } from '../../../runtime/core/decide/quota';
import type { QuotaStore, StoredQuota } from '../../../runtime/ports/quota-store';
import type { StartWindow, WindowStore } from '../../../runtime/ports/window-store';
import type { StartRate, Throttle } from '../../../runtime/core/decide/throttle';
import type { Execution } from '../../../runtime/core/model';
import { batchTrigger, eventsOf, type Gathering, waitOfGathering } from '../../../runtime/core/decide/gathering';
import type { GatheringStore, StartMark } from '../../../runtime/ports/gathering-store';

/** The parts of the simulated database that concern several runs. */
export interface SimSharedDatabase {
  readonly executions: Map<string, Execution>;
  readonly groups: Map<string, GroupState>;
  readonly windows: Map<string, StartWindow>;
  readonly quotas: Map<string, StoredQuota>;
  /** Runs that are marked for versions with waits for connections. */
  readonly marked: Set<string>;
  readonly slotRuns: Map<string, string>;
  readonly startMarks: Map<string, StartMark>;
  readonly hosts: ReadonlyMap<string, { readonly state: string }>;
}

const NO_GROUP: GroupState = { holders: [], queued: false };

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

/** The order in which waiting runs get their turns. */
export const byRank = (a: Execution, b: Execution): number =>
  (a.rank ?? a.startedAt) - (b.rank ?? b.startedAt) || a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1);

const rateOf = ({ limit, periodMs, burst }: Throttle): StartRate => ({ limit, periodMs, burst });

export const simWindows = (db: SimSharedDatabase, read: Ask, write: Ask): WindowStore => {
  const held = (window: string): Execution[] =>
    unended(db).filter(({ throttle }) => throttle?.window === window && !throttle.passed);
  const change = (id: string, changed: (execution: Execution, throttle: Throttle) => Partial<Execution>): void => {
    const execution = db.executions.get(id);
    if (execution?.throttle === undefined || execution.throttle.passed || execution.status !== 'running') return;
    db.executions.set(id, { ...execution, ...changed(execution, execution.throttle) });
  };
  return {
    read: (window) => read('readWindow', () => db.windows.get(window) ?? { starts: [], queued: false, revision: null }),
    admit: (window, { revision }, after) =>
      write('admit', () => {
        if ((db.windows.get(window)?.revision ?? null) !== revision) return false;
        const last = after.starts.at(-1);
        db.windows.set(window, { ...after, revision: `${last?.id} ${last?.at}` });
        return true;
      }),
    markQueued: (window, id, now) =>
      write('markThrottled', () => {
        const { starts = [], ...before } = db.windows.get(window) ?? {};
        db.windows.set(window, { ...before, starts, queued: true, revision: `${id} waits ${now}` });
      }),
    waiters: (window, limit) =>
      read('throttled', () =>
        held(window)
          .sort(byRank)
          .slice(0, limit)
          .map(({ id, wakeAt, throttle }) => ({ id, wakeAt, rate: rateOf(throttle as Throttle) })),
      ),
    pass: (id) => write('pass', () => change(id, (_, throttle) => ({ throttle: { ...throttle, passed: true } }))),
    wakeAt: (id, at) =>
      write('wakeAt', () =>
        change(id, ({ messageSeq, wakeAt }) => ({
          messageSeq: messageSeq + 1,
          wakeAt: wakeAt === null ? null : Math.min(wakeAt, at),
        })),
      ),
  };
};

export const simGatherings = (db: SimSharedDatabase, read: Ask, write: Ask): GatheringStore => {
  const open = (id: string): (Execution & { readonly gathering: Gathering }) | null => {
    const execution = db.executions.get(id);
    const isOpen = execution?.status === 'running' && execution.gathering?.state === 'open';
    return isOpen ? (execution as Execution & { readonly gathering: Gathering }) : null;
  };
  return {
    current: (slot) => read('slotRun', () => db.slotRuns.get(slot) ?? null),
    advance: (slot, before, next) =>
      write('advance', () => {
        if ((db.slotRuns.get(slot) ?? null) !== before) return false;
        db.slotRuns.set(slot, next);
        return true;
      }),
    mark: (startId, mark) =>
      write('mark', () => {
        const known = db.startMarks.get(startId) ?? mark;
        db.startMarks.set(startId, known);
        return known;
      }),
    move: (startId, before, run) =>
      write('move', () => {
        const mark = db.startMarks.get(startId);
        if (mark?.run === before) db.startMarks.set(startId, { ...mark, run });
      }),
    find: (id) =>
      read('findGathering', () => {
        const execution = db.executions.get(id);
        if (execution === undefined) return null;
        const { gathering = null, status, cancelling, cleanupDeadline } = execution;
        return { gathering, isEnding: status !== 'running' || cancelling || cleanupDeadline !== null };
      }),
    add: (id, gathering, start) =>
      write('addStart', () => {
        const execution = open(id);
        if (execution === null || execution.cancelling || execution.gathering.count !== gathering.count - 1)
          return false;
        const { owner, parked, trigger, messageSeq } = execution;
        const isDue = owner === null && !parked;
        const { labels: _labels, warnings: _warnings, ...replaced } = execution;
        db.executions.set(id, {
          ...('event' in start ? execution : replaced),
          ...('event' in start ? { trigger: batchTrigger([...eventsOf(trigger), start.event]) } : start.members),
          gathering,
          ...(isDue
            ? { wakeAt: gathering.beginsAt, waiting: [waitOfGathering(gathering)] }
            : { messageSeq: messageSeq + 1 }),
        });
        return true;
      }),
    seal: (id, at) =>
      write('seal', () => {
        const execution = open(id);
        if (execution === null) return;
        const { gathering, wakeAt, messageSeq } = execution;
        const isEarlier = gathering.beginsAt > at;
        db.executions.set(id, {
          ...execution,
          gathering: { ...gathering, state: 'sealed', beginsAt: Math.min(gathering.beginsAt, at) },
          ...(isEarlier ? { wakeAt: wakeAt === null ? null : Math.min(wakeAt, at), messageSeq: messageSeq + 1 } : {}),
        });
      }),
    begin: ({ id, host, epoch }, run) =>
      write('begin', () => {
        const execution = db.executions.get(id);
        if (execution?.status !== 'running' || execution.owner !== host || execution.epoch !== epoch) return false;
        if (execution.gathering?.state === 'begun' || execution.gathering?.count !== run.gathering.count) return false;
        const { concurrency, throttle, rank, deadlineAt, gathering, trigger } = run;
        db.executions.set(id, {
          ...execution,
          ...(gathering.kind === 'batch' ? { trigger } : {}),
          concurrency,
          ...(throttle === undefined ? {} : { throttle }),
          ...(rank === undefined ? {} : { rank }),
          deadlineAt,
          gathering,
        });
        return true;
      }),
  };
};

export const simGroups = (db: SimSharedDatabase, read: Ask, write: Ask): GroupStore => ({
  acquireUnlessQueued: (group, { id, host }, limit, now) =>
    write('enter', () => {
      const { holders, queued } = db.groups.get(group) ?? NO_GROUP;
      if (queued !== false || holders.length >= limit || holders.some((holder) => holder.id === id)) return false;
      db.groups.set(group, { holders: [...holders, { id, at: now, host }], queued });
      return true;
    }),
  acquire: (group, id, limit, now) =>
    write('enter', () => {
      const { holders, queued } = db.groups.get(group) ?? { holders: [], queued: `${id}@${now}` };
      if (holders.some((holder) => holder.id === id)) return true;
      if (holders.length >= limit) return false;
      db.groups.set(group, { holders: [...holders, { id, at: now }], queued });
      return true;
    }),
  releaseOnly: (group, id) =>
    write('leave', () => {
      const { holders, queued } = db.groups.get(group) ?? NO_GROUP;
      if (queued === false && holders.length === 1 && holders[0]?.id === id) db.groups.delete(group);
      return !db.groups.has(group);
    }),
  release: (group, ids) =>
    write('leave', () => {
      const state = db.groups.get(group);
      if (state === undefined) return NO_GROUP;
      const left = { ...state, holders: state.holders.filter(({ id }) => !ids.includes(id)) };
      db.groups.set(group, left);
      return left;
    }),
  markQueued: (group, id, now) =>
    write('markQueued', () => {
      db.groups.set(group, { ...(db.groups.get(group) ?? NO_GROUP), queued: `${id}@${now}` });
    }),
  clearQueued: (group, queued) =>
    write('clearQueued', () => {
      const state = db.groups.get(group);
      if (state?.queued !== queued) return;
      if (state.holders.length === 0) db.groups.delete(group);
      else db.groups.set(group, { ...state, queued: false });
    }),
  holders: (group) => read('holders', () => [...(db.groups.get(group)?.holders ?? [])]),
  waiters: (group, limit) =>
    read('members', () =>
      unended(db)
        .filter(({ concurrency }) => concurrency?.group === group)
        .sort(byRank)
        .slice(0, limit)
        .map(({ id, startedAt, concurrency }) => ({ id, startedAt, limit: concurrency?.limit ?? 0 })),
    ),
  gone: (holders) =>
    read('gone', () => {
      const ids = holders.map(({ id }) => id);
      const hosts = holders.flatMap(({ host }) => (host === undefined ? [] : [host]));
      return {
        ended: ids.filter((id) => (db.executions.get(id)?.status ?? 'running') !== 'running'),
        absent: ids.filter((id) => !db.executions.has(id)),
        deadHosts: hosts.filter((host) => db.hosts.get(host)?.state !== 'alive'),
      };
    }),
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

export const simQuotas = (db: SimSharedDatabase, read: Ask, write: Ask): QuotaStore => ({
  read: (connection) => read('readQuota', () => db.quotas.get(connection) ?? { quota: NO_USE, revision: null }),
  write: (connection, { revision: before }, quota, revision) =>
    write('writeQuota', () => {
      if ((db.quotas.get(connection)?.revision ?? null) !== before) return false;
      db.quotas.set(connection, { quota, revision });
      return true;
    }),
  running: (runs) =>
    read(
      'runningOf',
      () =>
        new Map(
          unended(db)
            .filter(({ id }) => runs.includes(id))
            .map(({ id, owner, epoch }) => [id, owner === null ? null : epoch]),
        ),
    ),
  mark: (run) => write('mark', () => void (db.executions.has(run) && db.marked.add(run))),
  wakeAt: (run, at) =>
    write('wakeQuota', () => {
      const execution = db.executions.get(run);
      if (execution?.status !== 'running') return;
      const { messageSeq, wakeAt } = execution;
      db.executions.set(run, {
        ...execution,
        messageSeq: messageSeq + 1,
        wakeAt: wakeAt === null ? null : Math.min(wakeAt, at),
      });
    }),
});
