import type { Json, JsonObject } from '../../lib/json';
import type { EndStatus, JournalRecord, RunError } from '../record/entry';
import type { Mail } from '../record/state';

/** What a run that is not moving waits for. Instants in epoch milliseconds; `until` null: no limit. */
export interface Waiting {
  readonly step_id: string | null;
  readonly kind: 'approval' | 'signal' | 'timer' | 'retry' | 'child' | 'slot' | 'capacity';
  readonly name: string | null;
  readonly since: number;
  readonly until: number | null;
  /** Of an approval: what is asked, of whom, and with which form. */
  readonly message?: string;
  readonly approvers?: readonly string[];
  readonly form?: Json;
}

/** The group of runs of which only so many go on at once, and what a run does when there is no room in it. */
export interface Concurrency {
  /** Made of tenant, workflow and key: nothing else shares it. */
  readonly group: string;
  /** What the author's key came to; shown. */
  readonly key: string;
  readonly limit: number;
  readonly onConflict: 'queue' | 'skip' | 'cancel_running';
}

/** The step of another run that started this one. */
export interface Parent {
  readonly executionId: string;
  readonly path: string;
  /** The step waits for the end of this run. */
  readonly awaited: boolean;
}

/** What is to be done elsewhere when a run has ended. Doing it again changes nothing. */
export type Errand =
  /** A message to another run. */
  | { readonly kind: 'post'; readonly to: string; readonly mail: Mail }
  /** Its place in a group is free. */
  | { readonly kind: 'leave'; readonly group: string; readonly limit: number }
  /** Workflows may begin by it. */
  | { readonly kind: 'announce' };

/** The trace that a run belongs to: its own span, and the one from which it was started. Ids as in W3C Trace Context. */
export interface RunTrace {
  readonly id: string;
  readonly span: string;
  readonly parent: string | null;
  readonly sampled: boolean;
}

/** One run, as its own document holds it. Instants in epoch milliseconds. */
export interface Execution {
  readonly id: string;
  readonly tenantId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly planHash: string;
  readonly env: string;
  readonly status: 'running' | EndStatus;
  readonly triggerType: string;
  readonly trigger: JsonObject;
  /** The member of the trigger that is shown as the run's input; null: all of it. */
  readonly inputKey: string | null;
  readonly output: Json;
  readonly error: RunError | null;
  /** What a `webhook_response` step asked for. */
  readonly response: JsonObject | null;
  readonly waiting: readonly Waiting[];
  readonly retryOf: string | null;
  readonly preload: { readonly executionId: string; readonly fromStep: string | null } | null;
  readonly parent: Parent | null;
  /** How many runs stand above it. */
  readonly depth: number;
  readonly concurrency: Concurrency | null;
  readonly requestId: string | null;
  /** Absent where nobody traces it. */
  readonly trace?: RunTrace;
  readonly startedAt: number;
  readonly deadlineAt: number | null;
  readonly endedAt: number | null;
  /** Steps that it has run; what was taken over from an earlier run is none. */
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** The host that runs it; null when none does. */
  readonly owner: string | null;
  /** Rises by one at every claim. A write that names an older one matches nothing. */
  readonly epoch: number;
  /** When a host should look at it; null while one owns it. */
  readonly wakeAt: number | null;
  /** Counts messages. A run is given up only by a host that has seen them all. */
  readonly inbox: number;
  /** Over its tenant's limit when it was to begin: due for nobody until a host has a slot for it. */
  readonly parked: boolean;
  /** Somebody has cancelled it: it is taken up whatever the limits are. */
  readonly cancelling: boolean;
  /**
   * Its end is decided, and this is by when it must have cleaned up. Until then it is a run like any other, though it was
   * cancelled or is over its time. Null while no host has given it up that knew its end.
   */
  readonly closesBy: number | null;
  /** What is still to be done because of its end. */
  readonly outbox: readonly Errand[];
}

/** A run that waits for a host, as far as the choice of those that are taken needs it. */
export interface Candidate {
  readonly id: string;
  readonly tenantId: string;
  readonly epoch: number;
  /** What the oldest is told by: when it fell due; of a parked run, when it was started. */
  readonly since: number;
  /** When it must be over; of a run that cleans up, with that. */
  readonly deadlineAt: number | null;
  /** It is to be told that it is cancelled: not so when its end is decided. */
  readonly cancelling: boolean;
  /** True of a run that is parked, and was not due when it was seen. */
  readonly parked: boolean;
}

/** Names the claim that a write is made under. */
export interface Claim {
  readonly id: string;
  readonly host: string;
  readonly epoch: number;
}

/** The claim under which a run was read. */
export const claimOf = ({ id, owner, epoch }: Execution): Claim => ({ id, host: owner as string, epoch });

/** What an end writes into the run's document. */
export interface Ending {
  readonly status: EndStatus;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly output: Json;
  readonly error: RunError | null;
  readonly response: JsonObject | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly outbox: readonly Errand[];
}

/** A run as its end leaves it. */
export const endedExecution = (execution: Execution, { startedAt: _, ...ending }: Ending): Execution => ({
  ...execution,
  ...ending,
  waiting: [],
  owner: null,
  wakeAt: null,
  parked: false,
});

/** How a run is given up. `inbox`: the messages that were seen; without `closesBy` that stays as it was. */
export interface Release {
  readonly inbox: number;
  readonly wakeAt: number;
  readonly waiting: readonly Waiting[];
  readonly closesBy?: number;
}

/** What became of an append. `taken`: another record holds the position; its epoch tells whose it is. */
export type Appended = { kind: 'appended' } | { kind: 'taken'; epoch: number; host: string };

/** What became of giving a run up. `mail`: a message has come that the host has not seen, so it still owns the run. */
export type Released = 'released' | 'mail' | 'lost';

/** What became of posting a message. `ended`: nothing was stored. `known`: that id was posted before, by `mail`. */
export type Posted =
  /** `due`: the run as it waits for a host now; null when it has one, or must wait on for a slot. */
  | { kind: 'posted'; owner: string | null; due: Candidate | null }
  | { kind: 'ended' }
  | { kind: 'known'; mail: Mail; owner: string | null }
  | { kind: 'absent' };

/** A wait of 'for ever': later than any due time, earlier than no time at all. */
export const NEVER_MS = Date.UTC(9999, 11, 31);

/**
 * Everything that the runtime asks of a database. Each verb is one transition and, at its core, one document write;
 * every write of an actor carries its claim.
 *
 *  S1  What a promise has resolved for is durable.
 *  S2  `append` gives a position of a journal to one record only.
 *  S3  `end` and `release` change nothing unless host and epoch are still the owner's.
 *  S4  `release` loses no message: it does nothing when the inbox has grown beyond what the host has seen.
 *  S5  `claim` gives a run to one host only, with a new epoch.
 *  S6  The record that comes with an end is the last of the journal, stored with the end, or not at all. What a late
 *      writer appends at its position or behind is no part of the history.
 */
export interface RunStore {
  /**
   * Stores a new run; one that has ended already, with the only record of its history. `exists`: one with this id is
   * there; nothing was changed.
   */
  insert(execution: Execution, tail?: JournalRecord | null): Promise<'inserted' | 'exists'>;
  load(id: string): Promise<Execution | null>;
  append(record: JournalRecord): Promise<Appended>;
  /** The records of a run from position `from` on, in order. */
  journal(id: string, from?: number): Promise<JournalRecord[]>;
  /**
   * Writes the end and, with it, the last record of the history; false when the claim is lost. True again when this
   * claim has written it before: an answer may be lost.
   */
  end(claim: Claim, ending: Ending, tail: JournalRecord | null): Promise<boolean>;
  release(claim: Claim, to: Release): Promise<Released>;
  /** Up to `limit` runs that nobody owns and that are due at `now`, those that have been due longest first. */
  due(now: number, limit: number): Promise<Candidate[]>;
  /**
   * Runs that are due, tenant by tenant, of the tenants whose ids follow `tenantId`: at most `each` of a tenant, oldest
   * first. `last`: the tenant at which the search stopped; null when it has seen the last one.
   */
  dueBeyond(tenantId: string, now: number, each: number): Promise<{ due: Candidate[]; last: string | null }>;
  /** Up to `limit` parked runs of a tenant, in the order of their starts. */
  parkedOf(tenantId: string, limit: number): Promise<Candidate[]>;
  /** Up to `limit` tenants with parked runs whose ids follow `after`, in the order of their ids. */
  parkedTenants(after: string, limit: number): Promise<string[]>;
  /** Takes those of the runs that are still as they were seen, in the order given. */
  claim(host: string, picks: readonly Pick<Candidate, 'id' | 'epoch'>[]): Promise<Execution[]>;
  /**
   * Over their tenant's limit: due for nobody, but when they must be over, until a host has a slot for them. Leaves alone
   * what has been claimed since it was seen, and what is to be told that it is cancelled.
   */
  park(picks: readonly Pick<Candidate, 'id' | 'epoch'>[], now: number): Promise<void>;
  /** The runs that a host owns, with what tells whether an actor of theirs is up to date. */
  owned(host: string): Promise<Pick<Execution, 'id' | 'epoch' | 'inbox'>[]>;
  /** When the next unowned run falls due after `now`; null when none will. */
  nextWake(now: number): Promise<number | null>;
  /**
   * Stores a message, then tells whoever may own the run, by raising `inbox` and `wakeAt`. A cancellation marks the run
   * in the same write, so that it is taken up whatever the limits are.
   */
  post(executionId: string, mail: Mail, now: number): Promise<Posted>;
  /** One message of a run by its id; null when there is none. */
  findMail(executionId: string, id: string): Promise<Mail | null>;
  /** The records and messages of a run that a host owns; both read at the same time, after this was asked for. */
  openRun(id: string): Promise<{ records: JournalRecord[]; mail: Mail[] }>;
  /** Messages of a run in the order of their times, then ids, and the inbox count that they cover at least. */
  mail(executionId: string): Promise<{ mail: Mail[]; inbox: number }>;
  /** Keeps a value that is too big for a record, under the run and its hash. Repeating it changes nothing. */
  putPayload(executionId: string, hash: string, json: string): Promise<void>;
  getPayloads(executionId: string, hashes: readonly string[]): Promise<Map<string, string>>;
}

/** A host's own document. */
export interface HostInfo {
  readonly id: string;
  readonly nodeId: string;
  readonly version: string;
  readonly capacity: number;
}

/** What a host says of itself at each renewal. */
export interface HostFigures {
  readonly draining: boolean;
  /** Runs in memory with something in flight or to do. */
  readonly running: number;
  /** Runs in memory that only wait. */
  readonly waiting: number;
  /** The longest time between due and claimed since the last renewal. */
  readonly lagMs: number;
}

/** A host as it is shown. A host whose lease has lapsed is dead, whether or not another one has buried it. */
export interface HostRow extends HostInfo, Omit<HostFigures, 'draining'> {
  readonly startedAt: number;
  readonly leaseUntil: number;
  readonly state: 'alive' | 'draining' | 'dead' | 'left';
}

/** What a look at the other hosts has found. */
export interface Burial {
  /** Runs that were freed. */
  readonly runs: number;
  /** Ids of the hosts that live, in order. */
  readonly alive: readonly string[];
  /** In how many milliseconds the first lease of another host lapses, unless it is renewed; null without others. */
  readonly lapsesInMs: number | null;
}

/** Who lives. Times are the database's, so that no host's clock decides on another's life. */
export interface HostStore {
  register(host: HostInfo, leaseMs: number): Promise<void>;
  /** False when the host has been declared dead. */
  renew(host: string, leaseMs: number, figures: HostFigures): Promise<boolean>;
  /**
   * Declares lapsed hosts dead (with `all`, every other one), turns the runs of the dead into ready work, and strikes
   * their shares off all ledgers.
   */
  bury(by: string, now: number, all: boolean): Promise<Burial>;
  /** The host stops by itself; whatever it still owns becomes ready work, and its shares are struck off. */
  leave(host: string, now: number): Promise<void>;
  /** All hosts that are remembered, the newest first. */
  rows(): Promise<HostRow[]>;
}

/** How many of a tenant's slots a host may use. */
export interface Share {
  readonly host: string;
  readonly n: number;
}

/** The shares of a tenant's slots. `rev` rises with every change; 0: nothing was ever written. */
export interface Ledger {
  readonly rev: number;
  readonly shares: readonly Share[];
}

/** Who may run how many runs of a tenant at a time. Shares of hosts that are gone are struck off by `HostStore`. */
export interface SlotStore {
  ledger(tenantId: string): Promise<Ledger>;
  /** Writes the shares if the ledger is still at `rev`; false when it is not. */
  swap(tenantId: string, rev: number, shares: readonly Share[]): Promise<boolean>;
}
