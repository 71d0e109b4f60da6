/**
 * A host of execution actors. Owns: its lifecycle, and the wiring of its parts. Does not own: HTTP, tenants.
 *
 *  H1  An actor acts only while the lease under which its run was claimed holds.
 *  H2  A due run is claimed by some host within a poll interval, even if all hints are lost.
 *  H3  A full or draining host still accepts starts: the run is stored as ready work.
 *  H4  A stop releases every run: those in flight when they finish, or at the end of the grace period, whichever is
 *      first.
 *  H5  A run that the database assigns to this host is active here, or is soon released and claimed again.
 *  H6  Every activation of a run has its own epoch, so that a record with its host and epoch can only be its own.
 *  H7  Never more runs than the capacity, including those being loaded, and no further one while those in memory exceed
 *      MAX_HELD_CHARS; a single run is always accepted, whatever its size. When runs grow to more than twice as much,
 *      the largest are released, but never the last one.
 *  H8  Every run in memory has a slot of its tenant (see slots.ts), except those that are loaded to be ended, which
 *      begin nothing; it is released when the run leaves memory, for whatever reason.
 *  H9  Work that this host leaves to others is broadcast.
 *  H10 A tenant with a limit of 0 has no runs in memory: attempts in flight finish, then the run is released, and parked
 *      when it is due.
 */
import type { PreparedPlan } from '../../dsl';
import { FairScheduler, fairScheduler } from '../../lib/fair-scheduler';
import type { Candidate } from '../core/model';
import type { Message } from '../core/state/state';
import type { HostFigures } from '../ports/host-store';
import { ActiveRuns } from './active-runs';
import { Backoff } from './backoff';
import { Capacity } from './capacity';
import { Claimer } from './claimer';
import { ConcurrencyGroups } from './concurrency-groups';
import type { HostDeps, HostOptions, NewExecution, StartOutcome } from './deps';
import { FailureDetector } from './failure-detector';
import { type Gathered, Gatherings, type GatheringStart } from './gatherings';
import { Lease, LeaseLost } from './lease';
import { messageSender, Outbox } from './outbox';
import { OwnershipReconciler } from './ownership-reconciler';
import { Quotas } from '../execution/quotas';
import { Poller } from './poller';
import { RunLoader } from './run-loader';
import { RunStarter } from './run-starter';
import { NO_SLOT, Slots } from './slots';
import { Suspects } from './suspects';
import { Throttles } from './throttles';
import { withTimeout } from '../../lib/with-timeout';
import { WorkBroadcaster } from './work-broadcaster';

export class Host {
  readonly #runs: ActiveRuns;
  readonly #lease: Lease;
  readonly #slots: Slots;
  readonly #starter: RunStarter;
  readonly #failureDetector: FailureDetector;
  readonly #loader: RunLoader;
  readonly #claimer: Claimer;
  readonly #reconciler: OwnershipReconciler;
  readonly #outbox: Outbox;
  readonly #poller: Poller;
  readonly #broadcaster: WorkBroadcaster;
  readonly #suspects: Suspects;
  readonly #capacity: Capacity;
  readonly #gatherings: Gatherings;
  #maintaining = false;
  #state: 'new' | 'open' | 'draining' | 'closed' = 'new';

  constructor(
    private readonly deps: HostDeps,
    private readonly options: HostOptions,
  ) {
    const { clock, meters, store, slots, limit, onFault } = deps;
    const { leaseMs } = options;
    const hostId = (): string => this.#lease.hostId;
    const holds = (host: string): boolean => this.#lease.holds(host);
    const poke = (): void => this.poke();
    const offerToAll = (): void => this.#offerToAll();
    const backoff = new Backoff(() => clock.now());
    const { afterOthers, threadTime } = deps;
    const ownTurns =
      afterOthers === undefined && threadTime === undefined
        ? fairScheduler
        : new FairScheduler(afterOthers, threadTime);
    this.#broadcaster = new WorkBroadcaster(clock, deps.onReady);
    this.#poller = new Poller({ clock, intervalMs: options.pollMs, poll: () => this.#poll(), onFault });
    this.#suspects = new Suspects({ store, clock, trustedAfterMs: 2 * leaseMs });
    const sendMessage = messageSender({
      store,
      clock,
      onMessageStored: (executionId, message, owner) => {
        if (this.deliver(executionId, message)) return;
        if (owner === null) this.poke();
        deps.onPosted(executionId, owner);
      },
    });
    const groups = new ConcurrencyGroups({ store, groups: deps.groups, clock, sendMessage, poke: offerToAll });
    const throttles = new Throttles({ store, windows: deps.windows, clock, poke: offerToAll });
    this.#gatherings = new Gatherings({ store, gatherings: deps.gatherings, clock, poke: offerToAll });
    this.#outbox = new Outbox({
      outboxes: deps.outboxes,
      clock,
      sendMessage,
      releasePermit: (id, group, groupLimit) => groups.release(id, group, groupLimit),
      publishEnd: deps.publishEnd,
    });
    this.#runs = new ActiveRuns({
      host: deps,
      quotas: new Quotas({ quotas: deps.quotas, clock, poke: offerToAll, onFault }),
      leaseMs,
      turns: ownTurns,
      backoff,
      outbox: this.#outbox,
      poller: this.#poller,
      suspects: this.#suspects,
      holds,
      isOpen: () => this.#state === 'open',
      broadcast: () => this.#broadcaster.broadcast(),
      offerToAll,
      poke,
      onExit: () => this.#capacity.notice(),
    });
    this.#capacity = new Capacity({
      capacity: options.capacity,
      memory: this.#runs.memory,
      active: () => this.#runs.size,
      loading: () => this.#loader.size,
      onFree: poke,
    });
    this.#lease = new Lease({
      hosts: deps.hosts,
      clock,
      leaseMs,
      newHost: () => ({
        id: options.newHostId(),
        nodeId: options.nodeId,
        version: options.version,
        capacity: options.capacity,
      }),
      figures: () => this.#figures(),
      meters,
      onFenced: (fenced) => this.#fenced(fenced),
      onRenewed: () => void this.#maintain(),
      onFault,
    });
    this.#failureDetector = new FailureDetector({
      hosts: deps.hosts,
      clock,
      hostId,
      intervalMs: leaseMs / 4,
      meters,
      onFreed: offerToAll,
      onFault,
    });
    const onFree = (tenantId: string): void => void (this.#claimer.parkedTenants.markRunnable(tenantId) && this.poke());
    const onClosed = (tenantId: string): void => this.#runs.drain(tenantId);
    this.#slots = new Slots(
      { slots, limit, clock, timeoutMs: leaseMs, holds, onFree, onClosed, onFault },
      this.#lease.hostId,
    );
    this.#claimer = new Claimer({
      store,
      clock,
      slots: this.#slots,
      timeoutMs: leaseMs,
      meters,
      hostId,
      ready: () => this.ready,
      freeCapacity: () => (this.#capacity.hasRoom() ? this.#capacity.free : 0),
      rank: () => this.#failureDetector.rank,
      isBackedOff: (id) => backoff.isLeftToOthers(id),
      release: (claim) => this.#runs.release(claim, 0),
      claimable: (candidates) => this.#suspects.claimable(candidates),
      load: (execution, slot) => {
        this.#suspects.add(execution);
        return this.#loader.load(execution, slot);
      },
      onFault,
    });
    this.#loader = new RunLoader({
      store,
      now: () => clock.now(),
      backoff,
      plan: deps.plan,
      vars: deps.vars,
      begin: (execution) => this.#gatherings.begin(execution),
      acquirePermit: async (execution) =>
        (await throttles.admit(execution)) ? groups.acquire(execution) : { kind: 'waiting' },
      holds,
      refusalMs: () => (this.#state === 'open' ? this.#capacity.refusalMs : 0),
      activate: (execution, plan, vars, slot, refusal) => {
        const actor = this.#runs.activate(execution, plan, vars, slot);
        // Its cleanup is work like any other, for an activation with a slot.
        if (slot === NO_SLOT) actor.drain();
        return actor.resume(refusal);
      },
      release: (claim, delayMs) => this.#runs.release(claim, delayMs),
      pause: (tenantId) => ownTurns.pause(tenantId),
      onPoisoned: (execution, error) => {
        meters.poisoned();
        deps.log(execution, 'error', `This run was given up: ${error.message}`, undefined, error.step_id ?? undefined);
      },
      onEnded: (execution, ending) => this.#runs.onEnded(execution, ending),
      onSizeChange: (change) => this.#runs.memory.add(change),
      onLeft: (id) => {
        if (!this.#runs.has(id)) this.#runs.forgetSuspect(id);
        this.#capacity.notice();
      },
      onFault,
    });
    this.#starter = new RunStarter({
      store,
      clock,
      slots: this.#slots,
      groups,
      throttles,
      parkedTenants: this.#claimer.parkedTenants,
      hostId,
      isActive: (id) => this.#runs.has(id),
      hasRoom: () => this.ready && this.#capacity.hasRoom(),
      vars: deps.vars,
      activate: (execution, plan, vars, slot) => this.#runs.activate(execution, plan, vars, slot),
      onStored: offerToAll,
      poke,
      onFault,
    });
    this.#reconciler = new OwnershipReconciler({
      store,
      hostId,
      actor: (id) => this.#runs.get(id),
      isLoading: (id) => this.#loader.has(id),
      release: (claim) => this.#runs.release(claim, 0),
    });
  }

  /** Runs in memory. */
  get running(): number {
    return this.#runs.size;
  }

  /** How many of them only wait for their timers. */
  get idle(): number {
    return this.#runs.idle;
  }

  /** True while this host can take on runs. */
  get ready(): boolean {
    return this.#state === 'open' && this.#lease.holds(this.#lease.hostId);
  }

  async start(): Promise<void> {
    await this.#lease.start();
    try {
      await this.#failureDetector.expireHosts(this.options.exclusive);
    } catch (fault) {
      await this.#lease.stop();
      throw fault;
    }
    this.#state = 'open';
    this.poke();
  }

  /** Releases all runs, then leaves. Ends with the grace, whatever does not answer. */
  async stop(graceMs: number): Promise<void> {
    this.#state = 'draining';
    this.#poller.stop();
    this.#failureDetector.stop();
    // Shown at once; nothing waits for it.
    void this.#lease.renewNow();
    // Complete: from here on `begin` only stores, and what is claimed or being loaded is released instead.
    const actors = this.#runs.all();
    for (const actor of actors) actor.drain();
    const drained = Promise.all(actors.map((actor) => actor.done));
    const idle = Promise.resolve(this.#poller.polling).then(() => this.#loader.idle());
    await withTimeout(this.deps.clock, graceMs, 'stop', Promise.all([drained, idle])).catch(this.deps.onFault);
    for (const actor of actors) actor.stop();
    await this.#lease.stop();
    this.#state = 'closed';
    this.#broadcaster.broadcast();
    this.#broadcaster.close();
  }

  /**
   * Stores a run and begins it; resolves once it is durable. Pure steps may run before that: they have no visible effect.
   * A start whose id is known changes nothing. `storeWithinMs`, for a fresh id: the run may be stored so much later, and
   * with its end in one write if it ends before; infinite for a caller who waits for the end.
   */
  begin(fresh: NewExecution, plan: PreparedPlan, storeWithinMs = 0): Promise<StartOutcome> {
    return this.#starter.begin(fresh, plan, storeWithinMs);
  }

  /** Gives a start to the run that gathers the starts of its key; resolves once it is durable. @throws AppError unavailable */
  gather(start: GatheringStart): Promise<Gathered> {
    return this.#gatherings.add(start);
  }

  /** Delivers a stored message to a run that is active here; false when it is not. */
  deliver(executionId: string, message: Message): boolean {
    return this.#runs.get(executionId)?.deliver(message) ?? false;
  }

  /** There may be new messages for a run: it reads them if it is active here; else it may be due. */
  checkMessages(executionId: string): void {
    const actor = this.#runs.get(executionId);
    if (actor === undefined) this.poke();
    else actor.checkMessages(Number.POSITIVE_INFINITY);
  }

  /** Polls for due runs now, instead of at the next interval. */
  poke(): void {
    if (this.#state === 'open') this.#poller.poke();
  }

  /** A run that has just become due. Where nothing else waits, it is claimed without a search. */
  offer(run: Candidate): void {
    if (this.#state !== 'open') return;
    this.#poller.poke(this.#claimer.queueEmpty ? () => this.#claimer.claimHinted(run) : undefined);
  }

  /** The first host to claim what is ready takes it. */
  #offerToAll(): void {
    this.poke();
    this.#broadcaster.broadcast();
  }

  async #poll(): Promise<void> {
    const { store, clock } = this.deps;
    await this.#claimer.poll();
    if (!this.ready) return;
    const next = await withTimeout(clock, this.options.leaseMs, 'next wake-up', store.nextWake(clock.now()));
    if (next !== null) this.#poller.pollWithin(next - clock.now());
  }

  /** Looks for hosts that died, and for runs that are not active here as they should be. One sweep at a time. */
  async #maintain(): Promise<void> {
    if (this.#maintaining || this.#state !== 'open') return;
    this.#maintaining = true;
    try {
      void this.#slots.settle(this.#capacity.free > 0);
      await this.#failureDetector.expireHosts();
      if (await this.#suspects.settle((id) => this.#runs.get(id))) this.poke();
      for (const fault of await this.#outbox.sweep()) this.deps.onFault(fault);
      if (await this.#claimer.parkedTenants.sweep()) this.poke();
      await this.#poller.polling; // Both have the same rhythm: without this they would overlap each time.
      if (this.#poller.polling === null) await this.#reconciler.run();
    } catch (fault) {
      this.deps.onFault(fault);
    } finally {
      this.#maintaining = false;
    }
  }

  #fenced(hostId: string): void {
    this.#slots.moveTo(this.#lease.hostId);
    const actors = this.#runs.all().filter(({ execution }) => execution.owner === hostId);
    // Without runs nothing is lost: the host only registers again.
    if (actors.length > 0) this.deps.onFault(new LeaseLost(hostId, actors.length));
    for (const actor of actors) actor.stop();
  }

  #figures(): HostFigures {
    const waiting = this.idle;
    const running = this.#runs.size - waiting;
    return { draining: this.#state === 'draining', running, waiting, lagMs: this.#claimer.takeLag() };
  }
}
