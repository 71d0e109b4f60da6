/**
 * The runs in memory on one host. Owns: activation and exit of runs. Does not own: which runs are claimed, the lease.
 */
import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import { ShortLivedMap } from '../../lib/short-lived-map';
import type { FairScheduler } from '../../lib/fair-scheduler';
import { type Claim, claimOf, type Ending, type Execution } from '../core/model';
import { Actor } from '../execution/actor';
import { type ActorDeps, type ExitReason, RuleFault } from '../execution/deps';
import type { Quotas } from '../execution/quotas';
import { StateCache } from '../execution/state-cache';
import type { ReleaseResult } from '../ports/run-store';
import type { Backoff } from './backoff';
import type { HostDeps } from './deps';
import { MemoryBudget } from './memory-budget';
import type { Outbox } from './outbox';
import type { Poller } from './poller';
import { runContextOf } from './run-context-of';
import { NO_SLOT, type Slot } from './slots';
import type { Suspects } from './suspects';

interface ActiveRunsDeps {
  readonly host: HostDeps;
  readonly quotas: Quotas;
  readonly leaseMs: number;
  readonly turns: FairScheduler;
  readonly backoff: Backoff;
  readonly outbox: Outbox;
  readonly poller: Poller;
  readonly suspects: Suspects;
  /** Whether this host id may act. */
  readonly holds: (hostId: string) => boolean;
  readonly isOpen: () => boolean;
  /** There is work for other hosts. */
  readonly broadcast: () => void;
  /** As `broadcast`, but this host looks for it too. */
  readonly offerToAll: () => void;
  readonly poke: () => void;
  /** A run has left memory. */
  readonly onExit: () => void;
}

export class ActiveRuns {
  readonly memory = new MemoryBudget(() => this.#actors.values());
  readonly #actors = new ShortLivedMap<string, Actor>();
  readonly #states: StateCache;
  #actorDeps: (ActorDeps & { readonly hostId: string }) | null = null;

  constructor(private readonly deps: ActiveRunsDeps) {
    this.#states = new StateCache(deps.host.minKeptEntries);
  }

  get size(): number {
    return this.#actors.size;
  }

  /** Runs that only wait for their timers. */
  get idle(): number {
    let idle = 0;
    for (const actor of this.#actors.values()) if (actor.idle) idle += 1;
    return idle;
  }

  get(id: string): Actor | undefined {
    return this.#actors.get(id);
  }

  has(id: string): boolean {
    return this.#actors.has(id);
  }

  all(): Actor[] {
    return [...this.#actors.values()];
  }

  /** Releases the runs of a tenant when their attempts in flight are finished. */
  drain(tenantId: string): void {
    for (const actor of this.#actors.values())
      if (actor.execution.tenantId === tenantId && !actor.draining) actor.drain();
  }

  /** Creates the actor of a claimed run. The slot is released when the run leaves memory (H8). */
  activate(execution: Execution, plan: PreparedPlan, vars: JsonObject, slot: Slot): Actor {
    const { host } = this.deps;
    const context = runContextOf(execution, plan, vars, host.stepLink);
    const actor = new Actor(this.#actorDepsOf(execution.owner as string), execution, context);
    // A run that was lost here may have been claimed again, under a newer epoch: the new actor stays.
    this.#actors.get(execution.id)?.stop();
    this.#actors.set(execution.id, actor);
    actor.done
      .then((reason) => {
        slot.release();
        this.#onExit(actor, reason, slot);
      })
      .catch(host.onFault);
    return actor;
  }

  /** A run has ended: reports it, and processes its outbox. */
  onEnded(execution: Execution, ending: Ending): void {
    const { host, outbox } = this.deps;
    host.onEnded(execution, ending);
    void outbox.process({ id: execution.id, outbox: ending.outbox }).catch(host.onFault);
  }

  /** A run has left memory, or was never activated: the next suspect may be claimed. */
  forgetSuspect(id: string): void {
    if (this.deps.suspects.remove(id)) this.deps.poke();
  }

  /**
   * Releases a run without an actor here, if its claim still stands; the next owner reads it again. `failed`: the claim
   * stays counted.
   */
  async release(claim: Claim, delayMs: number, failed = false): Promise<void> {
    const { host, poller, isOpen, broadcast } = this.deps;
    const wakeAt = host.clock.now() + delayMs;
    let released: ReleaseResult = 'new_message';
    while (released === 'new_message') {
      const execution = await host.store.load(claim.id);
      if (execution?.owner !== claim.host || execution.epoch !== claim.epoch) return;
      const { messageSeq, waiting } = execution;
      released = await host.store.release(claim, { messageSeq, waiting, wakeAt, failed });
    }
    poller.pollWithin(delayMs);
    if (delayMs === 0 && !isOpen()) broadcast();
  }

  /** Shared by the actors of a host id. */
  #actorDepsOf(hostId: string): ActorDeps {
    if (this.#actorDeps?.hostId === hostId) return this.#actorDeps;
    const { host, holds, turns } = this.deps;
    const states = this.#states;
    const onSizeChange = (change: number): void => this.memory.add(change);
    this.#actorDeps = {
      ...host,
      quotas: this.deps.quotas,
      hostId,
      mayWrite: () => holds(hostId),
      turns,
      states,
      onSizeChange,
    };
    return this.#actorDeps;
  }

  #onExit(actor: Actor, reason: ExitReason, slot: Slot): void {
    const { execution } = actor;
    const { host, backoff, onExit } = this.deps;
    if (this.#actors.get(execution.id) === actor) {
      this.#actors.delete(execution.id);
      this.forgetSuspect(execution.id);
    }
    host.meters.left(reason.kind === 'yielded' ? 'aside' : reason.kind);
    if (reason.kind !== 'broken') backoff.reset(execution.id);
    this.#afterExit(actor, reason, slot);
    onExit();
  }

  #afterExit(actor: Actor, reason: ExitReason, slot: Slot): void {
    const { execution } = actor;
    const { host, leaseMs, backoff, poller, broadcast, offerToAll } = this.deps;
    const now = host.clock.now();
    const release = (delayMs: number, failed = false): Promise<void> =>
      this.release(claimOf(execution), delayMs, failed);
    switch (reason.kind) {
      case 'ended':
        return this.onEnded(execution, reason.ending);
      case 'released':
        poller.pollWithin(reason.wakeAt - now);
        if (actor.draining && reason.wakeAt <= now) broadcast();
        // Released because this host holds too much.
        if (actor.draining && slot !== NO_SLOT) backoff.leaveToOthers(execution.id, now + leaseMs);
        return;
      case 'lost':
        return void release(0).catch(host.onFault);
      case 'broken':
        host.onFault(reason.fault);
        return void release(backoff.nextMs(execution.id), reason.fault instanceof RuleFault).catch(host.onFault);
      case 'yielded':
        host.onFault(reason.fault);
        backoff.leaveToOthers(execution.id, now + leaseMs);
        return void release(0).then(offerToAll, host.onFault);
      case 'stopped':
        return;
    }
  }
}
