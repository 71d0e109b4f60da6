/**
 * A host of execution actors. Owns: which runs are alive here, and taking on due ones. Does not own: HTTP, tenants.
 *
 *  H1  An actor acts only while the lease under which its run was claimed holds.
 *  H2  A run that is due is claimed by some host within a poll interval, whatever hints were lost.
 *  H3  A full or draining host still accepts: the run is stored as ready work.
 *  H4  A stop gives every run back: those in flight when they land, or at the end of the grace, whichever is first.
 *  H5  A run that the database says is this host's is alive here, or is given back, and claimed anew, soon.
 *  H6  Every stay of a run has an epoch of its own: a run is never taken up twice under one claim, so that a record
 *      with its host and epoch can only be its own.
 *  H7  Never more runs than the capacity, those on their way into memory included, and no further one while those that
 *      are here hold more than HELD_LIMIT; a single run is always taken on, whatever its size.
 */
import type { PreparedPlan } from '../../dsl';
import { jsonSize } from '../../lib/json';
import type { OnInterrupted } from '../../nodes/contract';
import { Actor } from '../actor/actor';
import type { ActorDeps, Verdict } from '../actor/deps';
import { Gate } from '../actor/gate';
import { ClaimLost } from '../actor/journal';
import type { Mail } from '../record/state';
import type { RunFacts } from '../rules/scope';
import type { GroupStore, OutboxStore } from '../store/kin';
import type { Claim, Ending, Execution, HostStore, Released } from '../store/port';
import { Kin } from './kin';
import { Lease } from './lease';
import { Poller } from './poller';
import { within } from './within';

/**
 * How much the runs of one host may hold before it takes on no more, in characters of their triggers and histories.
 * Objects take several times as much in memory.
 */
export const HELD_LIMIT = 128 * 1024 * 1024;
/** How many runs one claim takes: few at first, as nobody knows how large they are, then twice as many each time. */
const CLAIM_FIRST = 4;
const CLAIM_MOST = 64;
/** A run that could not be taken up (its plan or its history cannot be read) is looked at again after this. */
const TAKE_UP_AGAIN_MS = 1_000;

export interface HostOptions {
  readonly nodeId: string;
  readonly version: string;
  readonly capacity: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** No other host can be alive: the runs of all others are taken over at once. */
  readonly exclusive: boolean;
  readonly newHostId: () => string;
}

export interface HostDeps extends Omit<ActorDeps, 'mayWrite' | 'preload' | 'weigh'> {
  readonly hosts: HostStore;
  readonly groups: GroupStore;
  readonly outboxes: OutboxStore;
  readonly plan: (execution: Pick<Execution, 'planHash' | 'tenantId'>) => Promise<PreparedPlan>;
  readonly preload: ActorDeps['preload'];
  readonly approvalLink: (executionId: string, stepId: string, decision: 'approve' | 'reject') => string;
  readonly onEnded: (execution: Execution, ending: Ending) => void;
  /** There is mail for a run that is not alive here; `owner`: the host that has it. */
  readonly onPosted: (executionId: string, owner: string | null) => void;
  readonly onFault: (fault: unknown) => void;
}

/** What became of a start: on this host, stored for any host, or known already. */
export type Began = 'here' | 'stored' | 'exists';

/** A run to begin, without what belongs to the claim. */
export type NewExecution = Omit<Execution, 'owner' | 'epoch' | 'wakeAt' | 'inbox' | 'parked' | 'cancelling' | 'outbox'>;

/** What a run has that nobody has told anything yet. */
export const untold = { inbox: 0, parked: false, cancelling: false, outbox: [] } as const;

export class Host {
  readonly #actors = new Map<string, Actor>();
  /** Starts whose insert has not been answered yet. */
  readonly #starting = new Map<string, Promise<unknown>>();
  /** Claimed runs on their way into memory. */
  readonly #adopting = new Map<string, Promise<void>>();
  readonly #lease: Lease;
  readonly #kin: Kin;
  readonly #poller: Poller;
  /** Epochs of the runs that the last audit missed here. */
  #missing = new Map<string, number>();
  #tidying = false;
  /** What the runs here hold, in characters. */
  #held = 0;
  /** Work was left in the store for want of room. */
  #turnedAway = false;
  #state: 'new' | 'open' | 'draining' | 'closed' = 'new';

  constructor(
    private readonly deps: HostDeps,
    private readonly options: HostOptions,
  ) {
    this.#poller = new Poller({
      clock: deps.clock,
      intervalMs: options.pollMs,
      look: () => this.#claimDue(),
      onFault: deps.onFault,
    });
    this.#kin = new Kin({
      ...deps,
      tell: (executionId, mail, owner) => {
        if (this.deliver(executionId, mail)) return;
        if (owner === null) this.poke();
        deps.onPosted(executionId, owner);
      },
      poke: () => this.poke(),
    });
    this.#lease = new Lease({
      hosts: deps.hosts,
      clock: deps.clock,
      leaseMs: options.leaseMs,
      newHost: () => ({
        id: options.newHostId(),
        nodeId: options.nodeId,
        version: options.version,
        capacity: options.capacity,
      }),
      running: () => this.#actors.size,
      onFenced: (hostId) => this.#fenced(hostId),
      onRenewed: () => void this.#tidy(),
      onFault: deps.onFault,
    });
  }

  get running(): number {
    return this.#actors.size;
  }

  /** True while this host can take on runs. */
  get ready(): boolean {
    return this.#state === 'open' && this.#lease.holds(this.#lease.hostId);
  }

  async start(): Promise<void> {
    await this.#lease.start();
    try {
      await this.#bury(this.options.exclusive);
    } catch (fault) {
      await this.#lease.stop();
      throw fault;
    }
    this.#state = 'open';
    this.poke();
  }

  /** Gives all runs back, then leaves. Ends with the grace, whatever does not answer. */
  async stop(graceMs: number): Promise<void> {
    this.#state = 'draining';
    this.#poller.stop();
    // Complete: from here on `begin` only stores, and what is claimed or on its way is given back instead.
    const actors = [...this.#actors.values()];
    for (const actor of actors) actor.drain();
    const drained = Promise.all(actors.map((actor) => actor.done));
    const idle = Promise.resolve(this.#poller.looking).then(() => Promise.all(this.#adopting.values()));
    await within(this.deps.clock, graceMs, 'stop', Promise.all([drained, idle])).catch(this.deps.onFault);
    for (const actor of actors) actor.stop();
    await this.#lease.stop();
    this.#state = 'closed';
  }

  /**
   * Stores a run and begins it; resolves once it is durable. Pure steps may run before that: nobody can see them.
   * A start whose id is known changes nothing. `lazy`, for a fresh id and a caller who waits for the end: stored when
   * something needs it to be, at the latest by the flush policy or with the end.
   */
  async begin(fresh: NewExecution, plan: PreparedPlan, lazy = false): Promise<Began> {
    const hostId = this.#lease.hostId;
    if (this.#actors.has(fresh.id)) {
      // Known, but perhaps not stored yet: "exists" promises that it is.
      await this.#starting.get(fresh.id);
      return 'exists';
    }
    // Its place in its group is taken by whoever claims it.
    if (!this.ready || fresh.concurrency !== null || !this.#hasRoom()) return this.#store(fresh);
    const execution: Execution = { ...fresh, owner: hostId, epoch: 1, wakeAt: null, ...untold };
    const gate = new Gate(() => this.#insert(execution));
    const actor = this.#host(execution, plan);
    gate.opened.catch(() => actor.stop());
    if (!lazy) void gate.open().catch(() => {});
    if (execution.preload === null) actor.begin(gate);
    else void actor.beginPreloaded(gate);
    try {
      const verdict = await Promise.race([gate.opened, actor.done]);
      // A stay that ended before anything was stored, without an end: the run is still as new.
      if (verdict !== undefined && verdict.kind !== 'ended' && !gate.asked) return this.#store(fresh);
      await (gate.asked ? gate.opened : undefined);
      return 'here';
    } catch (fault) {
      if (!(fault instanceof ClaimLost)) throw fault;
      // A message for the run may have been handed to the actor that should not have been.
      this.poke();
      return 'exists';
    }
  }

  async #insert(execution: Execution): Promise<void> {
    const inserted = this.deps.store.insert(execution).finally(() => this.#starting.delete(execution.id));
    this.#starting.set(execution.id, inserted);
    if ((await inserted) === 'exists') throw new ClaimLost(execution.id);
  }

  /** How many more runs this host can take. */
  get #room(): number {
    const taken = this.#actors.size + this.#adopting.size;
    return taken > 0 && this.#held > HELD_LIMIT ? 0 : this.options.capacity - taken;
  }

  #hasRoom(): boolean {
    if (this.#room > 0) return true;
    this.#turnedAway = true;
    return false;
  }

  async #store(fresh: NewExecution): Promise<Began> {
    const now = this.deps.clock.now();
    const waiting = [{ step_id: null, kind: 'capacity', name: null, since: now, until: null } as const];
    const stored: Execution = { ...fresh, waiting, owner: null, epoch: 0, wakeAt: now, ...untold };
    const result = await this.deps.store.insert(stored);
    this.poke();
    return result === 'inserted' ? 'stored' : 'exists';
  }

  /** Hands a stored message to a run that is alive here; false when it is not. */
  deliver(executionId: string, mail: Mail): boolean {
    return this.#actors.get(executionId)?.deliver(mail) ?? false;
  }

  /** There may be new mail for a run: it reads it when it is alive here; else it may be due. */
  noticed(executionId: string): void {
    const actor = this.#actors.get(executionId);
    if (actor === undefined) this.poke();
    else actor.notice(Number.POSITIVE_INFINITY);
  }

  /** Looks for due runs now, instead of at the next poll. */
  poke(): void {
    if (this.#state === 'open') this.#poller.poke();
  }

  /** Claims what is due, as far as there is room. */
  async #claimDue(): Promise<void> {
    const { store, clock } = this.deps;
    for (let batch = CLAIM_FIRST; this.ready; batch = Math.min(batch * 2, CLAIM_MOST)) {
      if (!this.#hasRoom()) return;
      const room = Math.min(batch, this.#room);
      const claim = store.due(clock.now(), room).then((due) => store.claim(this.#lease.hostId, due));
      const claimed = await within(clock, this.options.leaseMs, 'claim', claim);
      const held = this.#held;
      for (const execution of claimed) this.#adopt(execution);
      // The next batch, should it be like this one, is to fit.
      if ((this.#held - held) * 2 > HELD_LIMIT / 4) batch = 1;
      if (claimed.length < room) break;
    }
    // A host that may not claim must not run after work that is due.
    if (!this.ready) return;
    const next = await within(clock, this.options.leaseMs, 'next wake-up', store.nextWake(clock.now()));
    if (next !== null) this.#poller.within(next - clock.now());
  }

  #adopt(execution: Execution): void {
    const size = jsonSize(execution.trigger);
    this.#held += size;
    const adopting = this.#takeUp(execution)
      .catch(async (fault: unknown) => {
        this.deps.onFault(fault);
        await this.#giveBack(claimOf(execution), TAKE_UP_AGAIN_MS);
      })
      .catch(this.deps.onFault)
      .finally(() => {
        this.#adopting.delete(execution.id);
        this.#held -= size;
        this.#noticeRoom();
      });
    this.#adopting.set(execution.id, adopting);
  }

  async #takeUp(execution: Execution): Promise<void> {
    const plan = await this.deps.plan(execution);
    const admission = await this.#kin.admit(execution);
    if (admission.kind === 'waits' || !this.#lease.holds(execution.owner as string)) return;
    if (this.#state !== 'open') return this.#giveBack(claimOf(execution), 0);
    this.#adopting.delete(execution.id);
    void this.#host(execution, plan).resume(admission.kind === 'refused' ? admission.error : null);
  }

  #host(execution: Execution, plan: PreparedPlan): Actor {
    const hostId = execution.owner as string;
    const actor = new Actor(
      {
        ...this.deps,
        mayWrite: () => this.#lease.holds(hostId),
        weigh: (change) => {
          this.#held += change;
        },
      },
      execution,
      factsOf(execution, plan, this.deps.approvalLink),
      (step): OnInterrupted => this.deps.node(step.def.type)?.onInterrupted ?? 'fail',
    );
    // A run that was lost here may have been claimed again, under a newer epoch: that actor stays.
    this.#actors.get(execution.id)?.stop();
    this.#actors.set(execution.id, actor);
    actor.done.then((verdict) => this.#left(actor, verdict)).catch(this.deps.onFault);
    return actor;
  }

  #left(actor: Actor, verdict: Verdict): void {
    if (this.#actors.get(actor.execution.id) === actor) this.#actors.delete(actor.execution.id);
    switch (verdict.kind) {
      case 'ended':
        this.deps.onEnded(actor.execution, verdict.ending);
        void this.#kin.ended(actor.execution, verdict.ending).catch(this.deps.onFault);
        break;
      case 'released':
        this.#poller.within(verdict.wakeAt - this.deps.clock.now());
        break;
      case 'lost':
        void this.#giveBack(claimOf(actor.execution), 0).catch(this.deps.onFault);
        break;
      case 'broken':
        this.deps.onFault(verdict.fault);
        void this.#giveBack(claimOf(actor.execution), TAKE_UP_AGAIN_MS).catch(this.deps.onFault);
        break;
      case 'stopped':
        break;
    }
    this.#noticeRoom();
  }

  /** What was stored while this host was full can be claimed now. */
  #noticeRoom(): void {
    if (!this.#turnedAway || this.#room <= 0) return;
    this.#turnedAway = false;
    this.poke();
  }

  /** Returns a run that no actor here goes on with, if its claim still stands; whoever claims it reads it afresh. */
  async #giveBack(claim: Claim, delayMs: number): Promise<void> {
    const { store, clock } = this.deps;
    let released: Released = 'mail';
    while (released === 'mail') {
      const execution = await store.load(claim.id);
      const stands = execution?.owner === claim.host && execution.epoch === claim.epoch;
      if (!stands) return;
      const { inbox, waiting } = execution;
      released = await store.release(claim, { inbox, waiting, wakeAt: clock.now() + delayMs });
    }
    this.#poller.within(delayMs);
  }

  /** Looks for hosts that died, and for runs that are not alive here as they should be. One sweep at a time. */
  async #tidy(): Promise<void> {
    if (this.#tidying || this.#state !== 'open') return;
    this.#tidying = true;
    try {
      await this.#bury(false);
      await this.#audit();
      await this.#kin.sweep();
    } catch (fault) {
      this.deps.onFault(fault);
    } finally {
      this.#tidying = false;
    }
  }

  /**
   * Keeps H5. A start or a claim whose answer was lost leaves a run that is owned but not alive. One that is missing at
   * two audits in a row, under the same claim, is no race with a start or an end. Also the fallback for messages whose
   * hint was lost.
   */
  async #audit(): Promise<void> {
    // A claim under way may own runs that are not on their way into memory yet.
    if (this.#poller.looking !== null) return;
    const host = this.#lease.hostId;
    const missing = new Map<string, number>();
    for (const { id, epoch, inbox } of await this.deps.store.owned(host)) {
      const actor = this.#actors.get(id);
      if (actor?.execution.epoch === epoch) actor.notice(inbox);
      else if (!this.#adopting.has(id)) missing.set(id, epoch);
    }
    for (const [id, epoch] of missing) {
      const idle = !this.#actors.has(id) && !this.#adopting.has(id);
      if (idle && this.#missing.get(id) === epoch) await this.#giveBack({ id, host, epoch }, 0);
    }
    this.#missing = missing;
  }

  #fenced(hostId: string): void {
    this.deps.onFault(new Error(`Host ${hostId} could not renew its lease; its runs are left to others`));
    for (const actor of [...this.#actors.values()]) if (actor.execution.owner === hostId) actor.stop();
  }

  async #bury(all: boolean): Promise<void> {
    const { runs } = await this.deps.hosts.bury(this.#lease.hostId, this.deps.clock.now(), all);
    if (runs > 0) this.poke();
  }
}

const claimOf = ({ id, owner, epoch }: Execution): Claim => ({ id, host: owner as string, epoch });

function factsOf(execution: Execution, plan: PreparedPlan, link: HostDeps['approvalLink']): RunFacts {
  return {
    id: execution.id,
    workflowId: execution.workflowId,
    startedAt: execution.startedAt,
    deadlineAt: execution.deadlineAt,
    env: execution.env,
    trigger: execution.trigger,
    plan,
    approvalLink: (stepId, decision) => link(execution.id, stepId, decision),
  };
}
