/**
 * Starts new runs. Owns: whether a run begins here at once or is stored for later, and that its caller sees only
 * durable results. Does not own: active runs.
 */
import type { PreparedPlan } from '../../dsl';
import type { Clock } from '../../lib/clock';
import type { JsonObject } from '../../lib/json';
import { ShortLivedMap } from '../../lib/short-lived-map';
import type { Actor } from '../execution/actor';
import { DeferredInsert } from '../execution/deferred-insert';
import { ClaimLost } from '../execution/journal';
import type { Throttle } from '../core/decide/throttle';
import { type Execution, NEVER_MS, type Waiting } from '../core/model';
import type { RunStore } from '../ports/run-store';
import { type StartOutcome, type NewExecution, INITIAL_FIELDS } from './deps';
import type { ConcurrencyGroups } from './concurrency-groups';
import type { ParkedTenants } from './parked-tenants';
import type { Slot, Slots } from './slots';
import { isHeldBack, type Throttles, waitOf } from './throttles';

interface RunStarterDeps {
  readonly store: Pick<RunStore, 'insert'>;
  readonly clock: Clock;
  readonly slots: Slots;
  readonly groups: ConcurrencyGroups;
  readonly throttles: Throttles;
  readonly parkedTenants: ParkedTenants;
  readonly hostId: () => string;
  readonly isActive: (id: string) => boolean;
  /** Whether this host has room for a further run. */
  readonly hasRoom: () => boolean;
  readonly vars: (tenantId: string) => Promise<JsonObject>;
  readonly activate: (execution: Execution, plan: PreparedPlan, vars: JsonObject, slot: Slot) => Actor;
  /** Ready work was stored, for this host or others. */
  readonly onStored: () => void;
  readonly poke: () => void;
  readonly onFault: (fault: unknown) => void;
}

/** A run that may begin here, with its inputs. */
interface Start {
  readonly fresh: NewExecution;
  readonly plan: PreparedPlan;
  readonly vars: JsonObject;
  readonly storeWithinMs: number;
}

export class RunStarter {
  /** Starts that are neither confirmed as stored nor ended. */
  readonly #unconfirmed = new ShortLivedMap<string, Promise<void>>();

  constructor(private readonly deps: RunStarterDeps) {}

  /** See `Host.begin`. With a free slot, and without `vars`, only the insert is awaited. */
  async begin(fresh: NewExecution, plan: PreparedPlan, storeWithinMs: number): Promise<StartOutcome> {
    return plan.usesVars
      ? this.#beginWithVars(fresh, plan, storeWithinMs)
      : this.#begin({ fresh, plan, vars: {}, storeWithinMs });
  }

  async #beginWithVars(fresh: NewExecution, plan: PreparedPlan, storeWithinMs: number): Promise<StartOutcome> {
    const { vars, onFault } = this.deps;
    let constants: JsonObject;
    try {
      constants = await vars(fresh.tenantId);
    } catch (fault) {
      // The host that claims the run reads them again.
      onFault(fault);
      return this.#store(fresh);
    }
    return this.#begin({ fresh, plan, vars: constants, storeWithinMs });
  }

  async #begin(start: Start): Promise<StartOutcome> {
    const { fresh } = start;
    const { isActive, hasRoom, parkedTenants, slots } = this.deps;
    if (isActive(fresh.id)) {
      // Known, but perhaps not stored yet: `exists` promises that it is.
      const unconfirmed = this.#unconfirmed.get(fresh.id);
      if (unconfirmed === undefined) return 'exists';
      await unconfirmed;
      return this.#begin(start);
    }
    // The host that claims it checks that its parent still waits, and acquires its permit.
    if (fresh.parent?.awaited === true || !hasRoom()) return this.#store(fresh);
    // Parked runs come first.
    if (parkedTenants.has(fresh.tenantId)) return this.#park(fresh);
    const slot = slots.tryTake(fresh.tenantId);
    if (slot === null) return this.#beginWithNewSlot(start);
    const isLimited = fresh.concurrency !== null || isHeldBack(fresh.throttle);
    return isLimited ? this.#beginWithSlot(start, slot) : this.#beginHere(start, slot);
  }

  #beginWithSlot(start: Start, slot: Slot): Promise<StartOutcome> {
    const { concurrency, throttle } = start.fresh;
    if (isHeldBack(throttle)) return this.#beginThrottled(start, throttle, slot);
    return concurrency === null ? this.#beginHere(start, slot) : this.#beginWithPermit(start, slot);
  }

  async #beginThrottled(start: Start, throttle: Throttle, slot: Slot): Promise<StartOutcome> {
    const { fresh } = start;
    const { throttles, hasRoom, isActive, hostId, onFault } = this.deps;
    const host = hostId();
    const isAdmitted = await throttles.admitForStart(fresh).catch((fault: unknown) => {
      // Perhaps it was admitted: the host that claims it finds out.
      onFault(fault);
      return false;
    });
    const admitted = { ...start, fresh: { ...fresh, throttle: { ...throttle, passed: true } } };
    if (isAdmitted && hasRoom() && hostId() === host && !isActive(fresh.id)) return this.#beginWithSlot(admitted, slot);
    slot.release();
    if (isActive(fresh.id)) return this.#begin(start);
    return isAdmitted ? this.#store(admitted.fresh) : this.#storeThrottled(fresh, throttle);
  }

  async #storeThrottled(fresh: NewExecution, throttle: Throttle): Promise<StartOutcome> {
    const { throttles, clock, onFault, onStored } = this.deps;
    const expected = await throttles.expectedStart(fresh).catch((fault: unknown) => {
      onFault(fault);
      return null;
    });
    const wait = waitOf(throttle, clock.now(), expected);
    const dueAt = Math.min(expected ?? clock.now(), fresh.deadlineAt ?? Number.POSITIVE_INFINITY);
    const stored = await this.#insertUnclaimed(fresh, wait, dueAt);
    onStored();
    return stored;
  }

  async #beginWithPermit(start: Start, slot: Slot): Promise<StartOutcome> {
    const { fresh } = start;
    const { groups, hostId, isActive, hasRoom, clock, onFault } = this.deps;
    const host = hostId();
    const since = clock.now();
    const isGranted = await groups.acquireForStart(fresh, host).catch((fault: unknown) => {
      // Perhaps it has the permit: the host that claims it finds out.
      onFault(fault);
      return false;
    });
    // Meanwhile the host may be full, or may have lost its lease, and with it the permit.
    if (isGranted && hasRoom() && hostId() === host && !isActive(fresh.id)) return this.#beginHere(start, slot, since);
    slot.release();
    return isActive(fresh.id) ? this.#begin(start) : this.#store(fresh);
  }

  async #beginWithNewSlot(start: Start): Promise<StartOutcome> {
    const { fresh } = start;
    const { slots, onFault, isActive, hasRoom } = this.deps;
    let slot: Slot | undefined;
    try {
      [slot] = await slots.take(fresh.tenantId, 1);
    } catch (fault) {
      // The limit is unknown: the host that claims the run reads it again.
      onFault(fault);
      return this.#store(fresh);
    }
    if (slot === undefined) return this.#park(fresh);
    // Meanwhile the same run may have been started, or the host may be full.
    if (!isActive(fresh.id) && hasRoom()) return this.#beginWithSlot(start, slot);
    slot.release();
    return this.#begin(start);
  }

  /** `permitSince`: the moment before its permit was acquired; a run without a group has none. */
  async #beginHere(
    { fresh, plan, vars, storeWithinMs }: Start,
    slot: Slot,
    permitSince: number | null = null,
  ): Promise<StartOutcome> {
    const execution: Execution = {
      ...fresh,
      owner: this.deps.hostId(),
      epoch: 1,
      wakeAt: null,
      ...INITIAL_FIELDS,
      claims: 1,
    };
    const isAnsweredAtEnd = storeWithinMs === Number.POSITIVE_INFINITY;
    const insert = new DeferredInsert(() => this.#insert(execution, permitSince), !isAnsweredAtEnd);
    const actor = this.deps.activate(execution, plan, vars, slot);
    insert.stored.catch(() => actor.stop());
    if (storeWithinMs === 0) void insert.store().catch(() => {});
    const cancelTimer =
      storeWithinMs === 0 || isAnsweredAtEnd
        ? null
        : this.deps.clock.after(storeWithinMs, () => insert.storeUnlessEnding());
    if (execution.resumeFrom === null) actor.begin(insert);
    else void actor.beginReused(insert);
    const confirmed = Promise.race([insert.stored, actor.done]);
    this.#track(fresh.id, confirmed);
    try {
      const reason = await confirmed;
      // The activation ended without an end, before anything was stored: the run is still new.
      if (reason !== undefined && reason.kind !== 'ended' && !insert.requested) return this.#store(fresh);
      await (insert.requested ? insert.stored : undefined);
      return 'here';
    } catch (fault) {
      if (!(fault instanceof ClaimLost)) throw fault;
      // A message for the run may have been delivered to the superfluous actor.
      this.deps.poke();
      return 'exists';
    } finally {
      cancelTimer?.();
    }
  }

  #track(id: string, confirmed: Promise<unknown>): void {
    const forget = (): void => void (this.#unconfirmed.get(id) === known && this.#unconfirmed.delete(id));
    const known: Promise<void> = confirmed.then(forget, forget);
    this.#unconfirmed.set(id, known);
  }

  async #insert(execution: Execution, permitSince: number | null): Promise<void> {
    const { store, groups } = this.deps;
    if ((await store.insert(execution)) === 'exists') {
      await groups.releaseIfEnded(execution);
      throw new ClaimLost(execution.id);
    }
    // It is stored, and acquires a permit when it is claimed again.
    if (permitSince !== null && !groups.isStillHeld(permitSince)) throw new ClaimLost(execution.id);
  }

  async #store(fresh: NewExecution): Promise<StartOutcome> {
    const stored = await this.#insertUnclaimed(fresh, this.#waitFor('capacity'), this.deps.clock.now());
    this.deps.onStored();
    return stored;
  }

  /** Over its tenant's limit: due only at its deadline. */
  async #park(fresh: NewExecution): Promise<StartOutcome> {
    const { parkedTenants, slots, poke } = this.deps;
    const { tenantId, deadlineAt } = fresh;
    const stored = await this.#insertUnclaimed(fresh, this.#waitFor('slot'), deadlineAt ?? NEVER_MS);
    parkedTenants.add(tenantId);
    // A slot may have become free before the run was stored.
    if (slots.hasFree(tenantId) && parkedTenants.markRunnable(tenantId)) poke();
    return stored;
  }

  #waitFor(kind: 'capacity' | 'slot'): Waiting {
    return { step_id: null, kind, name: null, since: this.deps.clock.now(), until: null };
  }

  async #insertUnclaimed(fresh: NewExecution, wait: Waiting, wakeAt: number): Promise<StartOutcome> {
    const unclaimed = {
      waiting: [wait],
      owner: null,
      epoch: 0,
      wakeAt,
      ...INITIAL_FIELDS,
      parked: wait.kind === 'slot',
    };
    const result = await this.deps.store.insert({ ...fresh, ...unclaimed });
    await this.deps.groups.onStored(fresh, result);
    if (wait.kind === 'throttle') await this.deps.throttles.onStored(fresh, result);
    return result === 'inserted' ? 'stored' : 'exists';
  }
}
