/**
 * New runs. Owns: whether a run begins here at once or is stored for later, and that its caller learns of nothing that is
 * not durable. Does not own: runs that are alive.
 */
import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { Actor } from '../actor/actor';
import { Gate } from '../actor/gate';
import { ClaimLost } from '../actor/journal';
import { type Execution, NEVER_MS, type RunStore, type Waiting } from '../store/port';
import { type Began, type NewExecution, untold } from './deps';
import type { Hungry } from './hungry';
import type { Slot, Slots } from './slots';

export interface StartsDeps {
  readonly store: Pick<RunStore, 'insert'>;
  readonly now: () => number;
  readonly slots: Slots;
  readonly hungry: Hungry;
  readonly hostId: () => string;
  readonly alive: (id: string) => boolean;
  /** Whether this host takes on a further run. */
  readonly takes: () => boolean;
  readonly vars: (tenantId: string) => Promise<JsonObject>;
  readonly enliven: (execution: Execution, plan: PreparedPlan, vars: JsonObject, slot: Slot) => Actor;
  /** Ready work was stored: this host looks for it, or others do. */
  readonly onStored: () => void;
  readonly poke: () => void;
  readonly onFault: (fault: unknown) => void;
}

/** A run that may begin here, with all that it needs. */
interface Start {
  readonly fresh: NewExecution;
  readonly plan: PreparedPlan;
  readonly vars: JsonObject;
  readonly lazy: boolean;
}

export class Starts {
  /** Until it is known of a start whether it is stored, or has ended. */
  readonly #unsure = new Map<string, Promise<void>>();

  constructor(private readonly deps: StartsDeps) {}

  /** See `Host.begin`. Where a slot is at hand, and the plan uses no `vars`, nothing is waited for but the insert. */
  async begin(fresh: NewExecution, plan: PreparedPlan, lazy: boolean): Promise<Began> {
    return plan.usesVars ? this.#beginAskingVars(fresh, plan, lazy) : this.#begin({ fresh, plan, vars: {}, lazy });
  }

  async #beginAskingVars(fresh: NewExecution, plan: PreparedPlan, lazy: boolean): Promise<Began> {
    const { vars, onFault } = this.deps;
    let constants: JsonObject;
    try {
      constants = await vars(fresh.tenantId);
    } catch (fault) {
      // Whoever claims it asks again.
      onFault(fault);
      return this.#store(fresh);
    }
    return this.#begin({ fresh, plan, vars: constants, lazy });
  }

  async #begin(start: Start): Promise<Began> {
    const { fresh } = start;
    const { alive, takes, hungry, slots } = this.deps;
    if (alive(fresh.id)) {
      // Known, but perhaps not stored yet: "exists" promises that it is.
      const unsure = this.#unsure.get(fresh.id);
      if (unsure === undefined) return 'exists';
      await unsure;
      return this.#begin(start);
    }
    // Whoever claims it takes its place in its group, and looks whether its parent still waits for it.
    if (fresh.concurrency !== null || fresh.parent?.awaited === true || !takes()) return this.#store(fresh);
    // Those that wait for a slot come first.
    if (hungry.has(fresh.tenantId)) return this.#park(fresh);
    const slot = slots.tryTake(fresh.tenantId);
    return slot === null ? this.#beginAsking(start) : this.#beginHere(start, slot);
  }

  async #beginAsking(start: Start): Promise<Began> {
    const { fresh } = start;
    const { slots, onFault, alive, takes } = this.deps;
    let slot: Slot | undefined;
    try {
      [slot] = await slots.take(fresh.tenantId, 1);
    } catch (fault) {
      // Nobody can say what the limit is: whoever claims it asks again.
      onFault(fault);
      return this.#store(fresh);
    }
    if (slot === undefined) return this.#park(fresh);
    // Meanwhile the same run may have come in, or others may have filled the host.
    if (!alive(fresh.id) && takes()) return this.#beginHere(start, slot);
    slot.give();
    return this.#begin(start);
  }

  async #beginHere({ fresh, plan, vars, lazy }: Start, slot: Slot): Promise<Began> {
    const execution: Execution = { ...fresh, owner: this.deps.hostId(), epoch: 1, wakeAt: null, ...untold };
    const gate = new Gate(() => this.#insert(execution));
    const actor = this.deps.enliven(execution, plan, vars, slot);
    gate.opened.catch(() => actor.stop());
    if (!lazy) void gate.open().catch(() => {});
    if (execution.preload === null) actor.begin(gate);
    else void actor.beginPreloaded(gate);
    const begun = Promise.race([gate.opened, actor.done]);
    this.#remember(fresh.id, begun);
    try {
      const verdict = await begun;
      // A stay that ended before anything was stored, without an end: the run is still as new.
      if (verdict !== undefined && verdict.kind !== 'ended' && !gate.asked) return this.#store(fresh);
      await (gate.asked ? gate.opened : undefined);
      return 'here';
    } catch (fault) {
      if (!(fault instanceof ClaimLost)) throw fault;
      // A message for the run may have been handed to the actor that should not have been.
      this.deps.poke();
      return 'exists';
    }
  }

  #remember(id: string, begun: Promise<unknown>): void {
    const forget = (): void => void (this.#unsure.get(id) === known && this.#unsure.delete(id));
    const known: Promise<void> = begun.then(forget, forget);
    this.#unsure.set(id, known);
  }

  async #insert(execution: Execution): Promise<void> {
    if ((await this.deps.store.insert(execution)) === 'exists') throw new ClaimLost(execution.id);
  }

  async #store(fresh: NewExecution): Promise<Began> {
    const stored = await this.#keep(fresh, 'capacity', this.deps.now());
    this.deps.onStored();
    return stored;
  }

  /** Over its tenant's limit: due for nobody but at its deadline. */
  async #park(fresh: NewExecution): Promise<Began> {
    const { hungry, slots, poke } = this.deps;
    const { tenantId, deadlineAt } = fresh;
    const stored = await this.#keep(fresh, 'slot', deadlineAt ?? NEVER_MS);
    hungry.remember(tenantId);
    // A slot may have come free while the run was not there to be found.
    if (slots.hasFree(tenantId) && hungry.rouse(tenantId)) poke();
    return stored;
  }

  async #keep(fresh: NewExecution, kind: 'capacity' | 'slot', wakeAt: number): Promise<Began> {
    const waiting: Waiting[] = [{ step_id: null, kind, name: null, since: this.deps.now(), until: null }];
    const unclaimed = { waiting, owner: null, epoch: 0, wakeAt, ...untold, parked: kind === 'slot' };
    const result = await this.deps.store.insert({ ...fresh, ...unclaimed });
    return result === 'inserted' ? 'stored' : 'exists';
  }
}
