/** Ways to break the runtime, or what it stands on. The simulation is worth as much as what it notices of them. */
import type { OnInterrupted } from '../../nodes/contract';
import { Actor } from '../../runtime/actor/actor';
import { JournalWriter } from '../../runtime/actor/journal';
import { Lease } from '../../runtime/host/lease';
import type { Claim, Execution, RunStore } from '../../runtime/store/port';
import type { SimDatabase } from '../support/runtime/sim-store';
import type { Stores } from './store';

export interface Mutant {
  /** Changes what verbs do. */
  readonly spoil?: (stores: Stores, db: SimDatabase) => Stores;
  /** Answers that are given when a request is sent, before anything is durable. */
  readonly early?: Readonly<Record<string, unknown>>;
  /** The word of all step types for an attempt that was interrupted. */
  readonly word?: OnInterrupted;
  /** Changes the product itself; the answer changes it back. */
  readonly patch?: () => () => void;
}

const spoilRuns = (change: (runs: RunStore, db: SimDatabase) => Partial<RunStore>): Mutant => ({
  spoil: (stores, db) => ({ ...stores, runs: { ...stores.runs, ...change(stores.runs, db) } }),
});

/** The verb, and then some members of the run's document as they were before. */
const forgetting = (...members: (keyof Execution)[]): Mutant =>
  spoilRuns((runs, db) => ({
    post: async (id, mail, now) => {
      const before = db.executions.get(id);
      const posted = await runs.post(id, mail, now);
      const after = db.executions.get(id);
      if (before === undefined || after === undefined) return posted;
      const kept = Object.fromEntries(members.map((member) => [member, before[member]]));
      db.executions.set(id, { ...after, ...kept });
      return posted;
    },
  }));

export const MUTANTS: Readonly<Record<string, Mutant>> = {
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
    release: (claim, to) => runs.release(claim, { ...to, inbox: db.executions.get(claim.id)?.inbox ?? 0 }),
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
  'a message that wakes nobody': forgetting('wakeAt'),
  'a message that is not counted': forgetting('inbox', 'wakeAt'),
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
  'a ledger that shows nobody what others have': {
    spoil: (stores) => ({
      ...stores,
      slots: { ...stores.slots, ledger: async (tenant) => ({ ...(await stores.slots.ledger(tenant)), shares: [] }) },
    }),
  },
  'places that are given to everybody': {
    spoil: (stores) => ({ ...stores, groups: { ...stores.groups, holders: async () => [], enter: async () => true } }),
  },
  'an end that nobody tells of when its host has died': {
    spoil: (stores) => ({ ...stores, outboxes: { ...stores.outboxes, outboxes: async () => [] } }),
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
  'polls that see nothing': spoilRuns(() => ({ due: async () => [] })),
  'audits that see nothing': spoilRuns(() => ({ owned: async () => [] })),
  'a lease that lapses too early': {
    spoil: (stores) => ({
      ...stores,
      hosts: { ...stores.hosts, renew: (host, leaseMs, figures) => stores.hosts.renew(host, leaseMs / 3, figures) },
    }),
  },
};

/** Lets the verb find the claim to stand, whoever the run belongs to by now, and even if it has ended. */
async function unasked<T>(db: SimDatabase, claim: Claim, verb: () => Promise<T>): Promise<T> {
  const before = db.executions.get(claim.id);
  if (before === undefined) return verb();
  db.executions.set(claim.id, { ...before, status: 'running', owner: claim.host, epoch: claim.epoch });
  const result = await verb();
  const after = db.executions.get(claim.id) ?? before;
  db.executions.set(claim.id, { ...after, epoch: before.epoch });
  return result;
}
