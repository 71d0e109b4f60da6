import type { JournalRecord } from '../core/entries/entry';
import type { Candidate, Claim, Ending, Execution, PauseRequest, Waiting } from '../core/model';
import type { Message } from '../core/state/state';

/**
 * A release of a run. `messageSeq`: the messages that were read. Without `cleanupDeadline` the stored one stays; with
 * it, the request to pause or resume is removed.
 */
export interface Release {
  readonly messageSeq: number;
  readonly wakeAt: number;
  readonly waiting: readonly Waiting[];
  readonly cleanupDeadline?: number;
  /** Size in memory in characters; without it the stored one stays. */
  readonly size?: number;
  /** The activation failed: its claim stays counted, see `Execution.claims`. */
  readonly failed?: boolean;
}

/** The result of an append. `taken`: another record has the position; its epoch tells whose it is. */
export type AppendResult = { kind: 'appended' } | { kind: 'taken'; epoch: number; host: string };

/** The result of a release. `new_message`: there is a message that the host has not read, so it still owns the run. */
export type ReleaseResult = 'released' | 'new_message' | 'lost';

/**
 * The result of adding a message. `ended`: nothing was stored. `known`: a message with that id, `message`, was stored
 * before.
 */
export type PostResult =
  /** `due`: the run as a candidate; null when it has an owner, or must wait for a slot. */
  | { kind: 'posted'; owner: string | null; due: Candidate | null }
  | { kind: 'ended' }
  | { kind: 'known'; message: Message; owner: string | null }
  | { kind: 'absent' };

/** The result of a request to pause or resume. `refused`: nothing was changed. */
export type PauseResult = Extract<PostResult, { kind: 'posted' }> | { kind: 'refused' };

/** What a run has received: its unconsumed messages by time, then id, the last request to pause or resume, and the count. */
export interface Received {
  readonly messages: Message[];
  readonly pause: PauseRequest | null;
  /** The message count that both cover. */
  readonly messageSeq: number;
}

/**
 * Storage of runs. Each method is one transition and, at its core, one document write; every write of an actor carries
 * its claim.
 *
 *  S1  When a promise resolves, its write is durable.
 *  S2  `append` stores at most one record per position of a journal.
 *  S3  `end` and `release` change nothing unless host and epoch are still the owner's.
 *  S4  `release` loses no message: it does nothing when the run has messages that the host has not read.
 *  S5  `claim` assigns a run to at most one host, with a new epoch.
 *  S6  The record that comes with an end is the last of the journal, stored with the end, or not at all. A record that
 *      a late writer appends at its position or after is not part of the history.
 */
export interface RunStore {
  /**
   * Stores a new run; one that has already ended, with the only record of its history. `exists`: the id is known;
   * nothing was changed.
   */
  insert(execution: Execution, tail?: JournalRecord | null): Promise<'inserted' | 'exists'>;
  load(id: string): Promise<Execution | null>;
  append(record: JournalRecord): Promise<AppendResult>;
  /** The records of a run from position `from` on, in order; at most `limit`. */
  journal(id: string, from?: number, limit?: number): Promise<JournalRecord[]>;
  /**
   * Writes the end and, with it, the last record of the history; false when the claim is lost. True again when this
   * claim has written it before: an answer may be lost.
   */
  end(claim: Claim, ending: Ending, tail: JournalRecord | null): Promise<boolean>;
  release(claim: Claim, to: Release): Promise<ReleaseResult>;
  /** Stores what a run waits for that its host keeps; false when the claim is lost. */
  showWaits(claim: Claim, waiting: readonly Waiting[]): Promise<boolean>;
  /** Up to `limit` unowned runs due at `now`, longest due first. */
  due(now: number, limit: number): Promise<Candidate[]>;
  /**
   * Runs that are due, tenant by tenant, of the tenants whose ids follow `tenantId`: at most `each` of a tenant, oldest
   * first. `last`: the tenant at which the search stopped; null when it has seen the last one.
   */
  dueByTenant(tenantId: string, now: number, each: number): Promise<{ due: Candidate[]; last: string | null }>;
  /** Up to `limit` parked runs of a tenant, in the order of their starts. */
  parkedOf(tenantId: string, limit: number): Promise<Candidate[]>;
  /** Up to `limit` tenants with parked runs whose ids follow `after`, in the order of their ids. */
  parkedTenants(after: string, limit: number): Promise<string[]>;
  /** Resets the count of failed claims, for claims that are still current. */
  resetClaims(claims: readonly Claim[]): Promise<void>;
  /** Claims those of the runs that are unchanged since they were read, in the order given. */
  claim(host: string, picks: readonly Pick<Candidate, 'id' | 'tenantId' | 'epoch'>[]): Promise<Execution[]>;
  /**
   * Parks runs over their tenant's limit: not due before their deadlines, until a host has a slot. Skips runs claimed
   * since they were read, and those with a pending cancellation.
   */
  park(picks: readonly Pick<Candidate, 'id' | 'tenantId' | 'epoch'>[], now: number): Promise<void>;
  /** The runs that a host owns, with the fields that show whether their actors are up to date. */
  owned(host: string): Promise<Pick<Execution, 'id' | 'epoch' | 'messageSeq'>[]>;
  /** When the next unowned run falls due after `now`; null when none will. */
  nextWake(now: number): Promise<number | null>;
  /**
   * Stores a message, then makes the run due by raising `messageSeq` and setting `wakeAt`. A cancellation marks the run
   * in the same write, so that it is claimed regardless of limits.
   */
  addMessage(executionId: string, messages: Message, now: number): Promise<PostResult>;
  /**
   * Stores a request to pause or resume, in one write that counts it as a message. Refused unless the run is running, not
   * cancelled or cleaning up, and its last request is the one before: a request that arrives late changes nothing.
   */
  requestPause(executionId: string, request: PauseRequest, now: number): Promise<PauseResult>;
  /** One message of a run by its id; null when there is none. */
  findMessage(executionId: string, id: string): Promise<Message | null>;
  /**
   * The records of a run that a host owns, from position `from` on, and its unconsumed messages, both read after this
   * call.
   */
  openRun(id: string, from?: number): Promise<{ records: JournalRecord[]; messages: Message[] }>;
  /** Marks messages that durable entries have consumed: they are not read again, but their ids stay known. */
  markConsumed(executionId: string, ids: readonly string[]): Promise<void>;
  /**
   * Counts the unconsumed messages of users, stores the count as `signals` of the run unless that is no longer `known`, and
   * returns it. `signals` itself counts what has arrived since: consumption does not write to the run.
   */
  recountSignals(executionId: string, known: number): Promise<number>;
  /** What a run has received so far. */
  messages(executionId: string): Promise<Received>;
  /** Stores a payload under the run and its hash. Repeating it changes nothing. */
  putPayload(executionId: string, hash: string, json: string): Promise<void>;
  getPayloads(executionId: string, hashes: readonly string[]): Promise<Map<string, string>>;
}
