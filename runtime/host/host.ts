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
 *      are here hold more than HELD_LIMIT; a single run is always taken on, whatever its size. Runs that grow beyond
 *      twice as much are given back, the heaviest first, but for the last one.
 *  H8  Every run in memory has a slot of its tenant (see slots.ts), but those that are here to be ended, which begin
 *      nothing; it is given back when the run leaves memory, whatever way.
 *  H9  Work that this host leaves to others is announced.
 */
import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import { Actor } from '../actor/actor';
import { Breath } from '../actor/breath';
import type { Verdict } from '../actor/deps';
import type { Mail } from '../record/state';
import {
  type Candidate,
  type Claim,
  claimOf,
  type Ending,
  type Execution,
  type HostFigures,
  type Released,
} from '../store/port';
import { Announcer } from './announcer';
import { Audit } from './audit';
import { Burden } from './burden';
import { Claims } from './claims';
import type { Began, HostDeps, HostOptions, NewExecution } from './deps';
import { factsOf } from './facts';
import { Intake } from './intake';
import { Kin } from './kin';
import { Lease } from './lease';
import { Neighbours } from './neighbours';
import { Poller } from './poller';
import { NO_SLOT, type Slot, Slots } from './slots';
import { Starts } from './starts';
import { within } from './within';

/** A run that there is no room for, though it was claimed, is left alone for so long. */
const NO_ROOM_MS = 1_000;

export class Host {
  readonly #actors = new Map<string, Actor>();
  readonly #lease: Lease;
  readonly #slots: Slots;
  readonly #starts: Starts;
  readonly #neighbours: Neighbours;
  readonly #intake: Intake;
  readonly #claims: Claims;
  readonly #audit: Audit;
  readonly #kin: Kin;
  readonly #poller: Poller;
  readonly #announcer: Announcer;
  readonly #breath: Breath;
  readonly #burden = new Burden(() => this.#actors.values());
  #tidying = false;
  /** Work was left in the store for want of room. */
  #turnedAway = false;
  #state: 'new' | 'open' | 'draining' | 'closed' = 'new';

  constructor(
    private readonly deps: HostDeps,
    private readonly options: HostOptions,
  ) {
    const { clock, meters, onFault } = deps;
    this.#breath = new Breath(deps.afterOthers);
    const patienceMs = options.leaseMs;
    this.#announcer = new Announcer(clock, deps.onReady);
    this.#poller = new Poller({ clock, intervalMs: options.pollMs, look: () => this.#look(), onFault });
    this.#kin = new Kin({
      ...deps,
      tell: (executionId, mail, owner) => {
        if (this.deliver(executionId, mail)) return;
        if (owner === null) this.poke();
        deps.onPosted(executionId, owner);
      },
      poke: () => this.#leaveToAll(),
    });
    this.#lease = new Lease({
      hosts: deps.hosts,
      clock,
      leaseMs: options.leaseMs,
      newHost: () => ({
        id: options.newHostId(),
        nodeId: options.nodeId,
        version: options.version,
        capacity: options.capacity,
      }),
      figures: () => this.#figures(),
      meters,
      onFenced: (hostId) => this.#fenced(hostId),
      onRenewed: () => void this.#tidy(),
      onFault,
    });
    const hostId = (): string => this.#lease.hostId;
    this.#neighbours = new Neighbours({
      hosts: deps.hosts,
      clock,
      hostId,
      rhythmMs: options.leaseMs / 4,
      meters,
      onFreed: () => this.#leaveToAll(),
      onFault,
    });
    const onFree = (tenantId: string): void => {
      if (this.#claims.hungry.rouse(tenantId)) this.poke();
    };
    const { slots, limit } = deps;
    const holds = (host: string): boolean => this.#lease.holds(host);
    this.#slots = new Slots({ slots, limit, clock, patienceMs, holds, onFree, onFault }, this.#lease.hostId);
    this.#claims = new Claims({
      store: deps.store,
      clock,
      slots: this.#slots,
      patienceMs,
      meters,
      hostId,
      ready: () => this.ready,
      room: () => (this.#hasRoom() ? this.#room : 0),
      peer: () => this.#neighbours.peer,
      avoids: (id) => this.#intake.avoids(id),
      adopt: (execution, slot) => this.#intake.take(execution, slot),
      onFault,
    });
    this.#intake = new Intake({
      store: deps.store,
      now: () => clock.now(),
      plan: deps.plan,
      vars: deps.vars,
      admit: (execution) => this.#kin.admit(execution),
      holds,
      refuses: () => (this.#state === 'open' ? this.#refusal() : 0),
      enliven: (execution, plan, vars, slot, refusal) => {
        const actor = this.#host(execution, plan, vars, slot);
        // What it has to clean up is work as any other, for a stay with a slot.
        if (slot === NO_SLOT) actor.drain();
        return actor.resume(refusal);
      },
      giveBack: (claim, delayMs) => this.#giveBack(claim, delayMs),
      onEnded: (execution, ending) => this.#ended(execution, ending),
      weigh: (change) => this.#burden.add(change),
      onLeft: () => this.#noticeRoom(),
      onFault,
    });
    this.#starts = new Starts({
      store: deps.store,
      now: () => clock.now(),
      slots: this.#slots,
      hungry: this.#claims.hungry,
      hostId,
      alive: (id) => this.#actors.has(id),
      takes: () => this.ready && this.#hasRoom(),
      vars: deps.vars,
      enliven: (execution, plan, vars, slot) => this.#host(execution, plan, vars, slot),
      onStored: () => this.#leaveToAll(),
      poke: () => this.poke(),
      onFault,
    });
    this.#audit = new Audit({
      store: deps.store,
      hostId,
      actor: (id) => this.#actors.get(id),
      comes: (id) => this.#intake.has(id),
      giveBack: (claim) => this.#giveBack(claim, 0),
    });
  }

  get running(): number {
    return this.#actors.size;
  }

  /** How many of them only wait for their timers. */
  get idle(): number {
    let idle = 0;
    for (const actor of this.#actors.values()) if (actor.idle) idle += 1;
    return idle;
  }

  /** True while this host can take on runs. */
  get ready(): boolean {
    return this.#state === 'open' && this.#lease.holds(this.#lease.hostId);
  }

  async start(): Promise<void> {
    await this.#lease.start();
    try {
      await this.#neighbours.look(this.options.exclusive);
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
    this.#neighbours.stop();
    // Shown at once; nothing waits for it.
    void this.#lease.renewNow();
    // Complete: from here on `begin` only stores, and what is claimed or on its way is given back instead.
    const actors = [...this.#actors.values()];
    for (const actor of actors) actor.drain();
    const drained = Promise.all(actors.map((actor) => actor.done));
    const idle = Promise.resolve(this.#poller.looking).then(() => this.#intake.settled());
    await within(this.deps.clock, graceMs, 'stop', Promise.all([drained, idle])).catch(this.deps.onFault);
    for (const actor of actors) actor.stop();
    await this.#lease.stop();
    this.#state = 'closed';
    this.#announcer.announce();
    this.#announcer.close();
  }

  /**
   * Stores a run and begins it; resolves once it is durable. Pure steps may run before that: nobody can see them.
   * A start whose id is known changes nothing. `lazy`, for a fresh id and a caller who waits for the end: stored when
   * something needs it to be, at the latest by the flush policy or with the end.
   */
  begin(fresh: NewExecution, plan: PreparedPlan, lazy = false): Promise<Began> {
    return this.#starts.begin(fresh, plan, lazy);
  }

  /** How many more runs this host can take. */
  get #room(): number {
    const taken = this.#actors.size + this.#intake.size;
    return taken > 0 && this.#burden.heavy ? 0 : this.options.capacity - taken;
  }

  #hasRoom(): boolean {
    if (this.#room > 0) return true;
    this.#turnedAway = true;
    return false;
  }

  /** Whoever is faster takes what is ready. */
  #leaveToAll(): void {
    this.poke();
    this.#announcer.announce();
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

  /** A run that somebody has just made due. Where nothing else waits, it is taken up without a search. */
  offer(run: Candidate): void {
    if (this.#state !== 'open') return;
    this.#poller.poke(this.#claims.calm ? () => this.#claims.takeUp(run) : undefined);
  }

  async #look(): Promise<void> {
    const { store, clock } = this.deps;
    await this.#claims.look();
    // A host that may not claim must not run after work that is due.
    if (!this.ready) return;
    const next = await within(clock, this.options.leaseMs, 'next wake-up', store.nextWake(clock.now()));
    if (next !== null) this.#poller.within(next - clock.now());
  }

  #host(execution: Execution, plan: PreparedPlan, vars: JsonObject, slot: Slot): Actor {
    const hostId = execution.owner as string;
    const actor = new Actor(
      {
        ...this.deps,
        mayWrite: () => this.#lease.holds(hostId),
        breath: this.#breath,
        weigh: (change) => this.#burden.add(change),
      },
      execution,
      factsOf(execution, plan, vars, this.deps.approvalLink),
    );
    // A run that was lost here may have been claimed again, under a newer epoch: that actor stays.
    this.#actors.get(execution.id)?.stop();
    this.#actors.set(execution.id, actor);
    actor.done
      .then((verdict) => {
        slot.give();
        this.#left(actor, verdict);
      })
      .catch(this.deps.onFault);
    return actor;
  }

  #left(actor: Actor, verdict: Verdict): void {
    const { execution } = actor;
    if (this.#actors.get(execution.id) === actor) this.#actors.delete(execution.id);
    this.deps.meters.left(verdict.kind);
    if (verdict.kind !== 'broken') this.#intake.forgetTrouble(execution.id);
    switch (verdict.kind) {
      case 'ended':
        this.#ended(execution, verdict.ending);
        break;
      case 'released':
        this.#poller.within(verdict.wakeAt - this.deps.clock.now());
        if (actor.draining && verdict.wakeAt <= this.deps.clock.now()) this.#announcer.announce();
        break;
      case 'lost':
        void this.#giveBack(claimOf(execution), 0).catch(this.deps.onFault);
        break;
      case 'broken':
        this.deps.onFault(verdict.fault);
        void this.#giveBack(claimOf(execution), this.#intake.delayAfterTrouble(execution.id)).catch(this.deps.onFault);
        break;
      case 'aside':
        this.deps.onFault(verdict.fault);
        this.#intake.avoid(execution.id, this.deps.clock.now() + this.options.leaseMs);
        void this.#giveBack(claimOf(execution), 0).then(() => this.#leaveToAll(), this.deps.onFault);
        break;
      case 'stopped':
        break;
    }
    this.#noticeRoom();
  }

  #ended(execution: Execution, ending: Ending): void {
    this.deps.onEnded(execution, ending);
    void this.#kin.settle({ id: execution.id, outbox: ending.outbox }).catch(this.deps.onFault);
  }

  /** For how long a run is left alone whose history is not to be read now: those that are here have grown too much. */
  #refusal(): number | null {
    return this.#actors.size > 0 && this.#burden.tooHeavy ? NO_ROOM_MS : null;
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
    if (delayMs === 0 && this.#state !== 'open') this.#announcer.announce();
  }

  /** Looks for hosts that died, and for runs that are not alive here as they should be. One sweep at a time. */
  async #tidy(): Promise<void> {
    if (this.#tidying || this.#state !== 'open') return;
    this.#tidying = true;
    try {
      void this.#slots.settle(this.#room > 0);
      await this.#neighbours.look();
      if (this.#poller.looking === null) await this.#audit.run();
      for (const fault of await this.#kin.sweep()) this.deps.onFault(fault);
      if (await this.#claims.hungry.sweep()) this.poke();
    } catch (fault) {
      this.deps.onFault(fault);
    } finally {
      this.#tidying = false;
    }
  }

  #fenced(hostId: string): void {
    this.deps.onFault(new Error(`Host ${hostId} could not renew its lease; its runs are left to others`));
    this.#slots.moveTo(this.#lease.hostId);
    for (const actor of [...this.#actors.values()]) if (actor.execution.owner === hostId) actor.stop();
  }

  #figures(): HostFigures {
    const waiting = this.idle;
    const running = this.#actors.size - waiting;
    return { draining: this.#state === 'draining', running, waiting, lagMs: this.#claims.takeLag() };
  }
}
