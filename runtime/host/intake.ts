/**
 * Claimed runs on their way into memory. Owns: how many are read at a time, and how soon one that cannot be read is
 * tried again. Does not own: claims, and what is alive.
 */
import type { PreparedPlan } from '../../dsl';
import { errorCode } from '../../lib/errors';
import { type JsonObject, jsonSize } from '../../lib/json';
import type { RunError } from '../record/entry';
import { type Claim, claimOf, type Ending, type Execution, type RunStore } from '../store/port';
import type { Admission } from './groups';
import { endWithoutPlan } from './planless';
import type { Slot } from './slots';

/** Histories that are read at the same time: each may be as large as a history can be. */
const READ_AT_ONCE = 8;
/** A run whose plan or history cannot be read is looked at again after this, then after twice as long each time. */
const AGAIN_MS = 1_000;
const AGAIN_AT_MOST_MS = 60_000;
/** So many troubles are remembered, and no more. */
const TROUBLES_KNOWN = 10_000;

export interface IntakeDeps {
  readonly store: RunStore;
  readonly now: () => number;
  readonly plan: (execution: Execution) => Promise<PreparedPlan>;
  readonly vars: (tenantId: string) => Promise<JsonObject>;
  readonly admit: (execution: Execution) => Promise<Admission>;
  /** Whether the claim can still be acted upon. */
  readonly holds: (host: string) => boolean;
  /** Null while a run may come alive; else for how long it is given back instead. */
  readonly refuses: () => number | null;
  /** Makes the run alive; the answer is done once its history has been read. */
  readonly enliven: (
    execution: Execution,
    plan: PreparedPlan,
    vars: JsonObject,
    slot: Slot,
    refusal: RunError | null,
  ) => Promise<void>;
  readonly giveBack: (claim: Claim, delayMs: number) => Promise<void>;
  readonly onEnded: (execution: Execution, ending: Ending) => void;
  /** Told when triggers of runs on their way hold more or less. */
  readonly weigh: (change: number) => void;
  /** A run has come in or was given up: there may be room. */
  readonly onLeft: () => void;
  readonly onFault: (fault: unknown) => void;
}

export class Intake {
  readonly #coming = new Map<string, Promise<void>>();
  readonly #troubles = new Map<string, number>();
  /** Runs that are left to others, and until when. */
  readonly #avoided = new Map<string, number>();
  readonly #queue: (() => void)[] = [];
  #reading = 0;

  constructor(private readonly deps: IntakeDeps) {}

  /** Runs that are not alive yet. */
  get size(): number {
    return this.#coming.size;
  }

  has(id: string): boolean {
    return this.#coming.has(id);
  }

  /** Until all that is on its way now has come in, or was given back. */
  async settled(): Promise<void> {
    await Promise.all(this.#coming.values());
  }

  /** How long to leave a run alone that could not be taken up. */
  delayAfterTrouble(id: string): number {
    const tries = this.#troubles.get(id) ?? 0;
    if (this.#troubles.size >= TROUBLES_KNOWN) this.#troubles.clear();
    this.#troubles.set(id, tries + 1);
    return Math.min(AGAIN_MS * 2 ** tries, AGAIN_AT_MOST_MS);
  }

  /** Leaves a run to other hosts: this one lacks something that it needs. */
  avoid(id: string, until: number): void {
    if (this.#avoided.size >= TROUBLES_KNOWN) this.#avoided.clear();
    this.#avoided.set(id, until);
  }

  avoids(id: string): boolean {
    const until = this.#avoided.get(id);
    if (until === undefined) return false;
    if (until > this.deps.now()) return true;
    this.#avoided.delete(id);
    return false;
  }

  /** The run has come as far as it could. */
  forgetTrouble(id: string): void {
    this.#troubles.delete(id);
  }

  /** Takes a claimed run on; answers what it holds, in characters, before its history is known. */
  take(execution: Execution, slot: Slot): number {
    const { deps } = this;
    const size = jsonSize(execution.trigger);
    deps.weigh(size);
    const coming = this.#bringIn(execution, slot, () => {
      if (this.#coming.get(execution.id) === coming) this.#coming.delete(execution.id);
      deps.weigh(-size);
    })
      .catch((fault: unknown) => this.#stumbled(execution, fault))
      .catch(deps.onFault)
      .finally(deps.onLeft);
    this.#coming.set(execution.id, coming);
    return size;
  }

  /** @param left called once, when the run is alive or will not be: from then on it is not this intake's */
  async #bringIn(execution: Execution, slot: Slot, left: () => void): Promise<void> {
    const { plan, vars, admit, holds, refuses, enliven, giveBack } = this.deps;
    let passedOn = false;
    let reads = false;
    try {
      const prepared = await plan(execution);
      const constants = prepared.usesVars ? await vars(execution.tenantId) : {};
      const admission = await admit(execution);
      if (admission.kind === 'waits') return;
      await this.#turn();
      reads = true;
      if (!holds(execution.owner as string)) return;
      const delayMs = refuses();
      if (delayMs !== null) return await giveBack(claimOf(execution), delayMs);
      passedOn = true;
      left();
      await enliven(execution, prepared, constants, slot, admission.kind === 'refused' ? admission.error : null);
    } finally {
      if (!passedOn) {
        left();
        slot.give();
      }
      if (reads) this.#over();
    }
  }

  async #stumbled(execution: Execution, fault: unknown): Promise<void> {
    const { deps } = this;
    // Its workflow was removed, and with it the plan: there is nothing to wait for.
    if (execution.cancelling && errorCode(fault) === 'not_found') {
      const ending = await endWithoutPlan(deps.store, execution, deps.now());
      if (ending !== null) deps.onEnded(execution, ending);
      return;
    }
    deps.onFault(fault);
    await deps.giveBack(claimOf(execution), this.delayAfterTrouble(execution.id));
  }

  /** Until this run may be read. */
  #turn(): Promise<void> {
    if (this.#reading === READ_AT_ONCE) return new Promise((resolve) => this.#queue.push(resolve));
    this.#reading += 1;
    return Promise.resolve();
  }

  /** Hands the turn on. */
  #over(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#reading -= 1;
    else next();
  }
}
