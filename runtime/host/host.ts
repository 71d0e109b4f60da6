/**
 * A host of execution actors. Owns: which runs are alive here, and taking on due ones. Does not own: HTTP, tenants.
 *
 *  H1  An actor acts only while the lease under which its run was claimed holds.
 *  H2  A run that is due is claimed by some host within a poll interval, whatever hints were lost.
 *  H3  A full or draining host still accepts: the run is stored as ready work.
 *  H4  A stop gives every run back: those in flight when they land, or at the end of the grace, whichever is first.
 *  H5  A run that the database says is this host's is alive here, or soon will be.
 */
import type { PreparedPlan } from '../../dsl';
import type { OnInterrupted } from '../../nodes/contract';
import { Actor, type ActorDeps, type Verdict } from '../actor/actor';
import { ClaimLost } from '../actor/journal';
import type { Mail } from '../record/state';
import type { RunFacts } from '../rules/scope';
import type { Ending, Execution, HostStore } from '../store/port';
import { Lease } from './lease';

/** How many runs one claim takes at most. */
const CLAIM_BATCH = 64;
/** A run whose plan cannot be read is looked at again after this. */
const PLAN_RETRY_MS = 1_000;

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

export interface HostDeps extends Omit<ActorDeps, 'mayWrite' | 'preload'> {
  readonly hosts: HostStore;
  readonly plan: (execution: Pick<Execution, 'planHash' | 'tenantId'>) => Promise<PreparedPlan>;
  readonly preload: ActorDeps['preload'];
  readonly approvalLink: (executionId: string, stepId: string, decision: 'approve' | 'reject') => string;
  readonly onEnded: (execution: Execution, ending: Ending) => void;
  readonly onFault: (fault: unknown) => void;
}

/** What became of a start: on this host, stored for any host, or known already. */
export type Began = 'here' | 'stored' | 'exists';

/** A run to begin, without what belongs to the claim. */
export type NewExecution = Omit<Execution, 'owner' | 'epoch' | 'wakeAt' | 'inbox'>;

export class Host {
  readonly #actors = new Map<string, Actor>();
  readonly #lease: Lease;
  #polling: Promise<void> | null = null;
  #pollAgain = false;
  #missing = new Set<string>();
  #cancelPoll: () => void = () => {};
  #nextPollAt = Number.POSITIVE_INFINITY;
  #state: 'new' | 'open' | 'draining' | 'closed' = 'new';

  constructor(
    private readonly deps: HostDeps,
    private readonly options: HostOptions,
  ) {
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
      onRenewed: async () => {
        await this.#bury(false);
        await this.#audit();
      },
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
    await this.#bury(this.options.exclusive);
    this.#state = 'open';
    this.poke();
  }

  /** Gives all runs back, then leaves. */
  async stop(graceMs: number): Promise<void> {
    this.#state = 'draining';
    this.#cancelPoll();
    await this.#polling;
    const actors = [...this.#actors.values()];
    for (const actor of actors) actor.drain();
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.deps.clock.after(graceMs, resolve);
    });
    await Promise.race([Promise.all(actors.map((actor) => actor.done)), late]);
    cancel();
    for (const actor of actors) actor.stop();
    await this.#lease.stop();
    this.#state = 'closed';
  }

  /**
   * Stores a run and begins it; resolves once it is durable. Pure steps may run before that: nobody can see them.
   * A start whose id is known changes nothing.
   */
  async begin(fresh: NewExecution, plan: PreparedPlan): Promise<Began> {
    const hostId = this.#lease.hostId;
    if (this.#actors.has(fresh.id)) return 'exists';
    if (!this.ready || this.#actors.size >= this.options.capacity) return this.#store(fresh);
    const execution: Execution = { ...fresh, owner: hostId, epoch: 1, wakeAt: null, inbox: 0 };
    const inserted = this.deps.store.insert(execution);
    const actor = this.#host(execution, plan);
    const gate = inserted.then((result) => {
      if (result === 'exists') throw new ClaimLost(fresh.id);
    });
    gate.catch(() => actor.stop());
    if (execution.preload === null) actor.begin(gate);
    else void actor.beginPreloaded(gate);
    return (await inserted) === 'inserted' ? 'here' : 'exists';
  }

  async #store(fresh: NewExecution): Promise<Began> {
    const result = await this.deps.store.insert({
      ...fresh,
      owner: null,
      epoch: 0,
      wakeAt: this.deps.clock.now(),
      inbox: 0,
    });
    this.poke();
    return result === 'inserted' ? 'stored' : 'exists';
  }

  /** Hands a stored message to a run that is alive here; false when it is not. */
  deliver(executionId: string, mail: Mail): boolean {
    const actor = this.#actors.get(executionId);
    actor?.deliver(mail);
    return actor !== undefined;
  }

  /** Looks for due runs now, instead of at the next poll. */
  poke(): void {
    if (this.#state !== 'open') return;
    if (this.#polling !== null) {
      this.#pollAgain = true;
      return;
    }
    this.#polling = this.#poll()
      .catch((fault: unknown) => this.deps.onFault(fault))
      .finally(() => {
        this.#polling = null;
        if (this.#pollAgain) {
          this.#pollAgain = false;
          this.poke();
        }
      });
  }

  async #poll(): Promise<void> {
    this.#schedule(this.options.pollMs);
    while (this.ready) {
      const room = Math.min(CLAIM_BATCH, this.options.capacity - this.#actors.size);
      if (room <= 0) return;
      const claimed = await this.deps.store.claim(this.#lease.hostId, this.deps.clock.now(), room);
      for (const execution of claimed) void this.#adopt(execution);
      if (claimed.length < room) break;
    }
    const next = await this.deps.store.nextWake();
    if (next !== null) this.#schedule(Math.max(0, next - this.deps.clock.now()));
  }

  /** Arms the poll timer, if that is sooner than what is armed. */
  #schedule(delayMs: number): void {
    const at = this.deps.clock.now() + delayMs;
    if (this.#state !== 'open' || delayMs > this.options.pollMs || at >= this.#nextPollAt) return;
    this.#cancelPoll();
    this.#nextPollAt = at;
    this.#cancelPoll = this.deps.clock.after(delayMs, () => {
      this.#nextPollAt = Number.POSITIVE_INFINITY;
      this.poke();
    });
  }

  async #adopt(execution: Execution): Promise<void> {
    try {
      const plan = await this.deps.plan(execution);
      if (!this.#lease.holds(execution.owner as string)) return;
      await this.#host(execution, plan).resume();
    } catch (fault) {
      this.deps.onFault(fault);
      const claim = { id: execution.id, host: execution.owner as string, epoch: execution.epoch };
      const to = { inbox: execution.inbox, wakeAt: this.deps.clock.now() + PLAN_RETRY_MS, waiting: [] };
      await this.deps.store.release(claim, to).catch(this.deps.onFault);
    }
  }

  #host(execution: Execution, plan: PreparedPlan): Actor {
    const hostId = execution.owner as string;
    const actor = new Actor(
      { ...this.deps, mayWrite: () => this.#lease.holds(hostId) },
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
    if (verdict.kind === 'ended') this.deps.onEnded(actor.execution, verdict.ending);
    if (verdict.kind === 'released') this.#schedule(Math.max(0, verdict.wakeAt - this.deps.clock.now()));
    if (verdict.kind === 'lost') void this.#reclaim(actor.execution.id).catch(this.deps.onFault);
    // What was stored while this host was full can be claimed now.
    if (this.#actors.size === this.options.capacity - 1) this.poke();
  }

  /** Takes up again a run that the database says is this host's, though no actor of it is alive here. */
  async #reclaim(id: string): Promise<void> {
    const hostId = this.#lease.hostId;
    const execution = await this.deps.store.load(id);
    const mine = execution?.status === 'running' && execution.owner === hostId && this.#lease.holds(hostId);
    if (mine && this.#state === 'open' && !this.#actors.has(id)) await this.#adopt(execution);
  }

  /**
   * Keeps H5. A start whose answer was lost, or a stay that ended in a fault, leaves a run that is owned but not alive.
   * One that is missing at two audits in a row is no race with a start or an end.
   */
  async #audit(): Promise<void> {
    const owned = await this.deps.store.owned(this.#lease.hostId);
    const missing = owned.filter((id) => !this.#actors.has(id));
    for (const id of missing) if (this.#missing.has(id)) await this.#reclaim(id);
    this.#missing = new Set(missing);
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
