/**
 * Claims waiting runs. Owns: which runs this host reads, and how many it claims. Does not own: what happens to a
 * claimed run.
 *
 *  Q1  Tenants take turns, and within a tenant the oldest run comes first (see pick.ts), whatever backlog one tenant
 *      has.
 *  Q2  A run needs a slot of its tenant, except one that is claimed to be ended: that one is ended, or released again
 *      when it has to clean up. A due run without a slot is parked, so that it does not delay others.
 *  Q3  A parked run is claimed when a slot is free: at once by the host that has it, else within a quarter of a lease.
 *  Q4  A poll ends: it continues only while it claims or parks something.
 */
import type { Clock } from '../../lib/clock';
import type { Meters } from '../execution/meters';
import { type Candidate, type Claim, claimOf, type Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';
import { Backlog } from './backlog';
import { ParkedTenants } from './parked-tenants';
import { isToEnd, partitionFirst, type HostRank, pick } from './pick';
import { NO_SLOT, type Slot, type Slots } from './slots';
import { withTimeout } from '../../lib/with-timeout';

/** Runs per claim: few at first, as their sizes are unknown, then twice as many each time. */
const MIN_CLAIMED = 4;
const MAX_CLAIMED = 64;
/** After a larger claim, runs are claimed one by one, so that each can be checked against the memory limit. */
const LARGE_BATCH_CHARS = 16 * 1024 * 1024;
/** Due runs read per free place. */
const SCANNED_PER_FREE_SLOT = 4;

interface ClaimerDeps {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly slots: Slots;
  readonly timeoutMs: number;
  readonly meters: Pick<Meters, 'claimed'>;
  readonly hostId: () => string;
  readonly ready: () => boolean;
  /** Number of runs that this host can still take; it remembers when there is none. */
  readonly freeCapacity: () => number;
  readonly rank: () => HostRank;
  /** True for a run that this host leaves to others for a while. */
  readonly isBackedOff: (id: string) => boolean;
  /** Releases a claimed run that is not loaded. */
  readonly release: (claim: Claim) => Promise<void>;
  /** Candidates that may be claimed together now. */
  readonly claimable: (candidates: readonly Candidate[]) => Candidate[];
  /** Loads the run; returns its size in characters. */
  readonly load: (execution: Execution, slot: Slot) => number;
  readonly onFault: (fault: unknown) => void;
}

interface Scan {
  readonly candidates: readonly Candidate[];
  /** There may be more runs. */
  readonly more: boolean;
  /** Tenants whose parked runs were all read. */
  readonly complete: readonly string[];
}

export class Claimer {
  readonly parkedTenants: ParkedTenants;
  readonly #backlog: Backlog;
  #lagMs = 0;
  /** The last poll left nothing behind. */
  #queueEmpty = false;

  constructor(private readonly deps: ClaimerDeps) {
    this.parkedTenants = new ParkedTenants(deps.store);
    this.#backlog = new Backlog(deps.store, deps.clock);
  }

  /** Maximum delay between due and claimed since the last call. */
  takeLag(): number {
    const lag = this.#lagMs;
    this.#lagMs = 0;
    return lag;
  }

  get queueEmpty(): boolean {
    return this.#queueEmpty;
  }

  /** Claims a run that has just become due; polls when the hint was out of date. */
  async claimHinted(run: Candidate): Promise<void> {
    const { ready, hostId, freeCapacity, isBackedOff } = this.deps;
    if (!ready() || freeCapacity() <= 0 || isBackedOff(run.id) || this.deps.claimable([run]).length === 0) return;
    const { done } = await this.#claim(hostId(), [run]);
    if (done === 0) await this.poll();
  }

  /** Claims waiting runs while there is capacity and there are slots. */
  async poll(): Promise<void> {
    this.#queueEmpty = false;
    let batchSize = MIN_CLAIMED;
    while (this.deps.ready()) {
      const host = this.deps.hostId();
      const freeCapacity = Math.min(batchSize, this.deps.freeCapacity());
      if (freeCapacity <= 0) return;
      const scan = await this.#scan(freeCapacity);
      const picks = pick(
        partitionFirst(scan.candidates, this.deps.rank()),
        (tenant) => this.deps.slots.inUse(tenant),
        freeCapacity,
      );
      const { done, held, refused } = await this.#claim(host, picks);
      const pickedAll = picks.length === scan.candidates.length;
      if (pickedAll) for (const tenant of scan.complete) if (!refused.has(tenant)) this.parkedTenants.delete(tenant);
      this.#queueEmpty = pickedAll && !scan.more && done === picks.length;
      if (done === 0 || this.#queueEmpty) return;
      batchSize = held > LARGE_BATCH_CHARS ? 1 : Math.min(batchSize * 2, MAX_CLAIMED);
    }
  }

  async #scan(freeCapacity: number): Promise<Scan> {
    const { store, clock } = this.deps;
    const window = freeCapacity * SCANNED_PER_FREE_SLOT;
    const due = await this.#withTimeout('due', store.due(clock.now(), window));
    const full = due.length === window;
    const others = full ? await this.#withTimeout('backlog', this.#backlog.candidates()) : [];
    const tenants = this.parkedTenants.next();
    const parked = await this.#withTimeout(
      'parked',
      Promise.all(tenants.map((tenant) => store.parkedOf(tenant, freeCapacity))),
    );
    const complete = tenants.filter((_, index) => (parked[index]?.length ?? 0) < freeCapacity);
    const found = [...due, ...others, ...parked.flat()].filter(({ id }) => !this.deps.isBackedOff(id));
    const byId = new Map(found.map((candidate) => [candidate.id, candidate]));
    const candidates = this.deps.claimable([...byId.values()]);
    return { candidates, more: full || complete.length < tenants.length, complete };
  }

  /**
   * Claims the runs with slots, and parks the others. `done`: runs that need no further poll; `held`: total size of the
   * claimed runs; `refused`: tenants at their limits.
   */
  async #claim(
    host: string,
    picks: readonly Candidate[],
  ): Promise<{ done: number; held: number; refused: Set<string> }> {
    const { store, clock, hostId, ready } = this.deps;
    this.#backlog.forget(new Set(picks.map(({ id }) => id)));
    const { slots, refused } = await this.#slotsFor(picks);
    // Fenced meanwhile: the new host id may not be registered yet, and then no host would free its runs.
    if (!ready() || hostId() !== host) {
      for (const slot of slots.values()) slot.release();
      return { done: 0, held: 0, refused: new Set() };
    }
    const wanted = picks.filter(({ id }) => slots.has(id));
    const due = refused.filter(({ parked }) => !parked);
    let claimed: Execution[] = [];
    try {
      if (wanted.length > 0) claimed = await this.#withTimeout('claim', store.claim(host, wanted));
    } catch (fault) {
      // The runs may have been claimed: reconciliation releases those that are owned and not active.
      for (const slot of slots.values()) slot.release();
      throw fault;
    }
    const held = this.#load(claimed, wanted, slots);
    if (due.length > 0) await this.#withTimeout('park', store.park(due, clock.now()));
    return { done: claimed.length + due.length, held, refused: new Set(refused.map(({ tenantId }) => tenantId)) };
  }

  #load(claimed: readonly Execution[], wanted: readonly Candidate[], slots: Map<string, Slot>): number {
    const now = this.deps.clock.now();
    const since = new Map(wanted.flatMap((run) => (run.parked ? [] : [[run.id, run.since] as const])));
    let held = 0;
    for (const execution of claimed) {
      const lagMs = now - (since.get(execution.id) ?? now);
      this.#lagMs = Math.max(this.#lagMs, lagMs);
      this.deps.meters.claimed(lagMs);
      const slot = this.#slotOf(execution, slots.get(execution.id) as Slot, now);
      slots.delete(execution.id);
      if (slot === null) this.deps.release(claimOf(execution)).catch(this.deps.onFault);
      else held += this.deps.load(execution, slot);
    }
    // Slots of runs that another host claimed first.
    for (const slot of slots.values()) slot.release();
    return held;
  }

  /** A candidate is only a hint: by its document, only a run that is to be ended needs no slot. */
  #slotOf({ tenantId, cancelling, cleanupDeadline, deadlineAt }: Execution, slot: Slot, now: number): Slot | null {
    const claimed = { cancelling: cancelling && cleanupDeadline === null, deadlineAt: cleanupDeadline ?? deadlineAt };
    return slot !== NO_SLOT || isToEnd(claimed, now) ? slot : this.deps.slots.tryTake(tenantId);
  }

  /** Allocates slots; `refused`: runs whose tenants are at their limits. */
  async #slotsFor(picks: readonly Candidate[]): Promise<{ slots: Map<string, Slot>; refused: Candidate[] }> {
    const now = this.deps.clock.now();
    const slots = new Map<string, Slot>();
    const refused: Candidate[] = [];
    const byTenant = new Map<string, Candidate[]>();
    for (const run of picks) {
      // With a free slot the run can also clean up.
      if (isToEnd(run, now)) slots.set(run.id, this.deps.slots.tryTake(run.tenantId) ?? NO_SLOT);
      else byTenant.set(run.tenantId, [...(byTenant.get(run.tenantId) ?? []), run]);
    }
    const allocate = async ([tenant, runs]: [string, Candidate[]]): Promise<void> => {
      const taken = await this.deps.slots.take(tenant, runs.length);
      for (const run of runs) {
        const slot = taken.shift();
        if (slot === undefined) refused.push(run);
        else slots.set(run.id, slot);
      }
      // Its parked runs wait until it gets another slot.
      if (refused.some(({ tenantId }) => tenantId === tenant)) this.parkedTenants.add(tenant);
      else if (this.parkedTenants.has(tenant)) this.parkedTenants.markRunnable(tenant);
    };
    // An unknown limit of one tenant does not delay the others: its runs stay as they are.
    for (const result of await Promise.allSettled([...byTenant].map(allocate)))
      if (result.status === 'rejected') this.deps.onFault(result.reason);
    return { slots, refused };
  }

  #withTimeout<T>(what: string, answer: Promise<T>): Promise<T> {
    return withTimeout(this.deps.clock, this.deps.timeoutMs, what, answer);
  }
}
