/**
 * Loads claimed runs into memory. Owns: how many are read at a time, and the retry of failed loads. Does not own:
 * claims, and active runs.
 */
import type { PreparedPlan } from '../../dsl';
import { errorCode } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { sizeOfJson } from '../../lib/json/prepared';
import type { EndStatus, RunError } from '../core/entries/entry';
import type { Survey } from '../core/entries/survey';
import { mayBePoisoned, poisoned } from '../core/decide/poison';
import { type Claim, claimOf, type Ending, type Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';
import type { PermitResult } from './concurrency-groups';
import type { Backoff } from './backoff';
import { LoadBudget, UNKNOWN_CHARS } from './load-budget';
import { endUnloaded, surveyOf } from './unloaded';
import type { Slot } from './slots';

interface RunLoaderDeps {
  readonly store: RunStore;
  readonly now: () => number;
  readonly backoff: Backoff;
  readonly plan: (execution: Execution) => Promise<PreparedPlan>;
  readonly vars: (tenantId: string) => Promise<JsonObject>;
  /** Begins a run that gathered starts; null when it has been released, or the claim is lost. */
  readonly begin: (execution: Execution) => Promise<Execution | null>;
  readonly acquirePermit: (execution: Execution) => Promise<PermitResult>;
  /** Whether the claim still holds. */
  readonly holds: (host: string) => boolean;
  /** Null while runs may be activated; else the delay after which they are retried. */
  readonly refusalMs: () => number | null;
  /** Activates the run; resolves when its history has been read. */
  readonly activate: (
    execution: Execution,
    plan: PreparedPlan,
    vars: JsonObject,
    slot: Slot,
    refusal: RunError | null,
  ) => Promise<void>;
  readonly release: (claim: Claim, delayMs: number) => Promise<void>;
  /** A promise while other work must run before reading continues; else null. */
  readonly pause: (tenantId: string) => Promise<void> | null;
  readonly onPoisoned: (execution: Execution, error: RunError) => void;
  readonly onEnded: (execution: Execution, ending: Ending) => void;
  /** Called when the size of the runs being loaded changes. */
  readonly onSizeChange: (change: number) => void;
  /** A run has been activated or released: there may be room. */
  readonly onLeft: (id: string) => void;
  readonly onFault: (fault: unknown) => void;
}

export class RunLoader {
  readonly #loading = new Map<string, Promise<void>>();
  readonly #budget = new LoadBudget();

  constructor(private readonly deps: RunLoaderDeps) {}

  /** Runs being loaded. */
  get size(): number {
    return this.#loading.size;
  }

  has(id: string): boolean {
    return this.#loading.has(id);
  }

  /** Resolves when all current loads have finished. */
  async idle(): Promise<void> {
    await Promise.all(this.#loading.values());
  }

  /** Loads a claimed run; returns its size in characters, before its history is read. */
  load(execution: Execution, slot: Slot): number {
    const { deps } = this;
    const size = Math.max(sizeOfJson(execution.trigger), execution.size);
    deps.onSizeChange(size);
    const loading = this.#load(execution, slot, () => {
      if (this.#loading.get(execution.id) === loading) this.#loading.delete(execution.id);
      deps.onSizeChange(-size);
    })
      .catch((fault: unknown) => this.#onLoadFailed(execution, fault))
      .catch(deps.onFault)
      .finally(() => deps.onLeft(execution.id));
    this.#loading.set(execution.id, loading);
    return size;
  }

  /** @param left called once, when the run is activated or will not be: it is no longer being loaded */
  async #load(claimed: Execution, slot: Slot, left: () => void): Promise<void> {
    const { plan, vars, acquirePermit, holds, refusalMs, activate, release, begin } = this.deps;
    let isActivated = false;
    let releaseBudget = (): void => {};
    try {
      if (mayBePoisoned(claimed) && (await this.#endPoisoned(claimed))) return;
      const execution = claimed.gathering === undefined ? claimed : await begin(claimed);
      if (execution === null) return;
      const prepared = await plan(execution);
      const constants = prepared.usesVars ? await vars(execution.tenantId) : {};
      const permit = await acquirePermit(execution);
      if (permit.kind === 'waiting') return;
      releaseBudget = await this.#budget.acquire(loadedChars(execution));
      if (!holds(execution.owner as string)) return;
      const delayMs = refusalMs();
      if (delayMs !== null) return await release(claimOf(execution), delayMs);
      isActivated = true;
      left();
      await activate(execution, prepared, constants, slot, permit.kind === 'refused' ? permit.error : null);
    } finally {
      if (!isActivated) {
        left();
        slot.release();
      }
      releaseBudget();
    }
  }

  /** Ends a poison run before any part that may crash the host is loaded. False when the run continues. */
  async #endPoisoned(execution: Execution): Promise<boolean> {
    const { deps } = this;
    const survey = await surveyOf(deps.store, execution.id, () => deps.pause(execution.tenantId));
    const error = poisoned(execution, survey);
    if (error === null) return false;
    deps.onPoisoned(execution, error);
    await this.#end(execution, survey, 'failed', error);
    return true;
  }

  async #end(execution: Execution, survey: Survey, status: EndStatus, error: RunError | null): Promise<void> {
    const ending = await endUnloaded(this.deps.store, execution, survey, { now: this.deps.now(), status, error });
    if (ending !== null) this.deps.onEnded(execution, ending);
  }

  async #onLoadFailed(execution: Execution, fault: unknown): Promise<void> {
    const { deps } = this;
    // Its workflow was deleted, and with it the plan: retries cannot succeed.
    if (execution.cancelling && errorCode(fault) === 'not_found') {
      const survey = await surveyOf(deps.store, execution.id, () => deps.pause(execution.tenantId));
      return this.#end(execution, survey, 'cancelled', null);
    }
    deps.onFault(fault);
    await deps.release(claimOf(execution), deps.backoff.nextMs(execution.id));
  }
}

/** Expected size of a run. One that was not released by its last host may have grown there. */
const loadedChars = ({ size, claims }: Execution): number => (claims > 1 ? Math.max(size, UNKNOWN_CHARS) : size);
