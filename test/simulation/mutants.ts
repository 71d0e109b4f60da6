/** Mutants of the runtime, the database and the hosts. Each must be detected by the simulation. */
import type { OnInterrupted } from '../../nodes/contract';
import { DecisionBuilder } from '../../runtime/core/decide/decision-builder';
import { Actor } from '../../runtime/execution/actor';
import { JournalWriter } from '../../runtime/execution/journal';
import { Gatherings } from '../../runtime/worker/gatherings';
import { Lease } from '../../runtime/worker/lease';
import type { Claim, Execution } from '../../runtime/core/model';
import type { GatheringStore } from '../../runtime/ports/gathering-store';
import type { WindowStore } from '../../runtime/ports/window-store';
import type { GroupStore } from '../../runtime/ports/group-store';
import type { RunStore } from '../../runtime/ports/run-store';
import type { SimDatabase } from '../support/runtime/sim-store';
import { CONNECTION_MUTANTS } from './connection-mutants';
import type { Stores } from './store';

export interface Mutant {
  /** Changes what verbs do. */
  readonly spoil?: (stores: Stores, db: SimDatabase) => Stores;
  /** Answers that are given when a request is sent, before its effect is durable. */
  readonly early?: Readonly<Record<string, unknown>>;
  /** The recovery policy of all step types. */
  readonly word?: OnInterrupted;
  /** Patches the product itself; returns a function that undoes the patch. */
  readonly patch?: () => () => void;
}

const spoilRuns = (change: (runs: RunStore, db: SimDatabase) => Partial<RunStore>): Mutant => ({
  spoil: (stores, db) => ({ ...stores, runs: { ...stores.runs, ...change(stores.runs, db) } }),
});

const spoilGroups = (change: (groups: GroupStore) => Partial<GroupStore>): Mutant => ({
  spoil: (stores) => ({ ...stores, groups: { ...stores.groups, ...change(stores.groups) } }),
});

const spoilWindows = (change: (windows: WindowStore) => Partial<WindowStore>): Mutant => ({
  spoil: (stores) => ({ ...stores, windows: { ...stores.windows, ...change(stores.windows) } }),
});

const spoilGatherings = (change: (gatherings: GatheringStore, db: SimDatabase) => Partial<GatheringStore>): Mutant => ({
  spoil: (stores, db) => ({ ...stores, gatherings: { ...stores.gatherings, ...change(stores.gatherings, db) } }),
});

/** Changes the number of starts that the database has of a run. */
function recount(db: SimDatabase, id: string, count: number): void {
  const execution = db.executions.get(id);
  if (execution?.gathering !== undefined)
    db.executions.set(id, { ...execution, gathering: { ...execution.gathering, count } });
}

/** Runs the verb, then resets some fields of the run's document. */
const forgetting = (...members: (keyof Execution)[]): Mutant =>
  spoilRuns((runs, db) => ({
    addMessage: async (id, mail, now) => {
      const before = db.executions.get(id);
      const posted = await runs.addMessage(id, mail, now);
      const after = db.executions.get(id);
      if (before === undefined || after === undefined) return posted;
      const kept = Object.fromEntries(members.map((member) => [member, before[member]]));
      db.executions.set(id, { ...after, ...kept });
      return posted;
    },
  }));

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  ...CONNECTION_MUTANTS,
  'a host that acts though its lease has lapsed': {
    patch: () => {
      const { holds } = Lease.prototype;
      Lease.prototype.holds = () => true;
      return () => {
        Lease.prototype.holds = holds;
      };
    },
  },
  'ends and releases that do not ask whose the run is': spoilRuns((runs, db) => ({
    end: (claim, ending, tail) => unasked(db, claim, () => runs.end(claim, ending, tail)),
    release: (claim, to) => unasked(db, claim, () => runs.release(claim, to)),
  })),
  'a release that does not ask for mail': spoilRuns((runs, db) => ({
    release: (claim, to) => runs.release(claim, { ...to, messageSeq: db.executions.get(claim.id)?.messageSeq ?? 0 }),
  })),
  'a journal that takes a second record for a position': spoilRuns((runs, db) => ({
    append: async (record) => {
      const appended = await runs.append(record);
      if (appended.kind === 'taken')
        db.journals.set(record.executionId, [...(db.journals.get(record.executionId) ?? []), record]);
      return { kind: 'appended' };
    },
  })),
  'a start that is answered before it is stored': { early: { insert: 'inserted' } },
  'a message that is answered before it is stored': {
    early: { 'post.store': false, post: { kind: 'posted', owner: null, due: null } },
  },
  'a message that wakes no host': forgetting('wakeAt'),
  'a message that is not counted': forgetting('messageSeq', 'wakeAt'),
  'a claim that does not show that the run is paused': spoilRuns((runs) => ({
    claim: async (host, picks) => (await runs.claim(host, picks)).map((run) => ({ ...run, pause: null })),
  })),
  'a busy host that does not read that its run is paused': spoilRuns((runs) => ({
    messages: async (id) => ({ ...(await runs.messages(id)), pause: null }),
  })),
  'a request to pause that is stored whatever was requested meanwhile': spoilRuns((runs, db) => ({
    requestPause: (id, request, now) => {
      const rev = (db.executions.get(id)?.pause?.rev ?? 0) + 1;
      return runs.requestPause(id, { ...request, rev }, now);
    },
  })),
  'a run that continues though its pause is recorded': {
    patch: () => {
      const { emit } = DecisionBuilder.prototype;
      DecisionBuilder.prototype.emit = function (entry) {
        emit.call(this, entry);
        if (entry.kind === 'run.paused') this.state.paused = null;
      };
      return () => {
        DecisionBuilder.prototype.emit = emit;
      };
    },
  },
  'a step that is run again though it must not be': { word: 'retry' },
  'a part of a step that begins before it is on record that it does': {
    patch: () => {
      const { add, barrier } = JournalWriter.prototype;
      const intents = new WeakSet<JournalWriter>();
      JournalWriter.prototype.add = function (entries) {
        const [entry] = entries;
        if (entry?.kind === 'step.noted' && entry.value === undefined) intents.add(this);
        else intents.delete(this);
        add.call(this, entries);
      };
      JournalWriter.prototype.barrier = function () {
        return intents.has(this) ? Promise.resolve() : barrier.call(this);
      };
      return () => Object.assign(JournalWriter.prototype, { add, barrier });
    },
  },
  'a slot pool that shows no allocations of other hosts': {
    spoil: (stores) => ({
      ...stores,
      slots: { ...stores.slots, pool: async (tenant) => ({ ...(await stores.slots.pool(tenant)), allocations: [] }) },
    }),
  },
  'places that are given to everybody': {
    spoil: (stores) => ({
      ...stores,
      groups: {
        ...stores.groups,
        holders: async () => [],
        acquire: async () => true,
        acquireUnlessQueued: async () => true,
      },
    }),
  },
  'permits that are given to new runs while others wait': spoilGroups((groups) => ({
    acquireUnlessQueued: (group, { id }, limit, now) => groups.acquire(group, id, limit, now),
  })),
  'runs that wait without being recorded as waiting': spoilGroups(() => ({ markQueued: async () => {} })),
  'permits of runs that are about to be stored, taken from their hosts': spoilGroups((groups) => ({
    gone: async (holders) => ({
      ...(await groups.gone(holders)),
      deadHosts: holders.flatMap(({ host }) => (host === undefined ? [] : [host])),
    }),
  })),
  'windows that remember no starts': spoilWindows((windows) => ({
    read: async (window) => ({ ...(await windows.read(window)), starts: [] }),
  })),
  'windows that are written whatever has been written since they were read': spoilWindows((windows) => ({
    admit: async (window, _before, after, keepMs) => windows.admit(window, await windows.read(window), after, keepMs),
  })),
  'throttled runs that are not recorded as waiting': spoilWindows((windows) => ({
    markQueued: async () => {},
    read: async (window) => ({ ...(await windows.read(window)), queued: false }),
  })),
  'throttled runs that see no others before them': spoilWindows(() => ({ waiters: async () => [] })),
  'shared windows that remember what the last rate counts': spoilWindows((windows) => ({
    read: async (window) => {
      const { reach: _, ...rest } = await windows.read(window);
      return rest;
    },
  })),
  'starts whose runs are not marked': spoilGatherings(() => ({ mark: async (_start, mark) => mark })),
  'starts that are marked anew whenever they are repeated': spoilGatherings((gatherings, db) => ({
    mark: (start, mark, until) => {
      db.startMarks.delete(start);
      return gatherings.mark(start, mark, until);
    },
  })),
  'runs that take starts without those taken since they were read': spoilGatherings((gatherings, db) => ({
    add: (id, after, start) => {
      recount(db, id, after.count - 1);
      return gatherings.add(id, after, start);
    },
  })),
  'runs that begin without the starts taken since they were claimed': spoilGatherings((gatherings, db) => ({
    begin: (claim, run) => {
      recount(db, claim.id, run.gathering.count);
      return gatherings.begin(claim, run);
    },
  })),
  'slots whose next run everybody names': spoilGatherings((_gatherings, db) => ({
    advance: async (slot, _before, next) => {
      db.slotRuns.set(slot, next);
      return true;
    },
  })),
  'runs that take starts after they have begun': spoilGatherings((gatherings, db) => ({
    begin: async (claim, run) => {
      const isBegun = await gatherings.begin(claim, run);
      const execution = db.executions.get(claim.id);
      if (isBegun && execution?.gathering !== undefined)
        db.executions.set(claim.id, { ...execution, gathering: { ...execution.gathering, state: 'open' } });
      return isBegun;
    },
  })),
  'runs that begin when something wakes them': {
    patch: () => {
      const { begin } = Gatherings.prototype;
      Gatherings.prototype.begin = function (run) {
        return begin
          .call(this, { ...run, cleanupDeadline: run.cleanupDeadline ?? 1 })
          .then((begun) => (begun === null ? null : { ...begun, cleanupDeadline: run.cleanupDeadline }));
      };
      return () => {
        Gatherings.prototype.begin = begin;
      };
    },
  },
  'an end that is never published when its host has died': {
    spoil: (stores) => ({ ...stores, outboxes: { ...stores.outboxes, pending: async () => [] } }),
  },
  'a run without a slot that begins something': {
    patch: () => {
      const { drain } = Actor.prototype;
      Actor.prototype.drain = () => {};
      return () => {
        Actor.prototype.drain = drain;
      };
    },
  },
  'claims that are not counted': spoilRuns((runs, db) => ({
    claim: async (host, picks) => {
      const claimed = await runs.claim(host, picks);
      for (const { id } of claimed) db.executions.set(id, { ...(db.executions.get(id) as Execution), claims: 0 });
      return claimed.map((run) => ({ ...run, claims: 0 }));
    },
  })),
  'claims that stay counted whatever a run has recorded': spoilRuns((runs) => ({
    release: (claim, to) => runs.release(claim, { ...to, failed: true }),
    resetClaims: async () => {},
    // Only surveys read a part of a history.
    journal: (id, from, limit) => (limit === undefined ? runs.journal(id, from) : Promise.resolve([])),
  })),
  'polls that see nothing': spoilRuns(() => ({ due: async () => [] })),
  'audits that see nothing': spoilRuns(() => ({ owned: async () => [] })),
  'a lease that lapses too early': {
    spoil: (stores) => ({
      ...stores,
      hosts: { ...stores.hosts, renew: (host, leaseMs, figures) => stores.hosts.renew(host, leaseMs / 3, figures) },
    }),
  },
};

/** Runs the verb as if the claim were valid, even if another host owns the run by now or the run has ended. */
async function unasked<T>(db: SimDatabase, claim: Claim, verb: () => Promise<T>): Promise<T> {
  const before = db.executions.get(claim.id);
  if (before === undefined) return verb();
  db.executions.set(claim.id, { ...before, status: 'running', owner: claim.host, epoch: claim.epoch });
  const result = await verb();
  const after = db.executions.get(claim.id) ?? before;
  db.executions.set(claim.id, { ...after, epoch: before.epoch });
  return result;
}
