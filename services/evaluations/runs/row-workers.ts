import { ofTenant } from '../../../lib/tenant';
import { type Lease, LeaseLost } from '../../../mixins/leased-work/lease';
import type { EvaluationRecord, ResultRecord } from '../models';
import type { Metric } from '../metrics/definition';
import type { SummaryBuilder } from '../rules/summary';
import type { WorkDeps } from './deps';
import { pendingResults } from './results';
import { runRow } from './run-row';
import { scoreRow } from './score-row';

/** Pause between two writes of the progress. */
const PROGRESS_MS = 1_000;
const QUEUE = 200;
const WATCH_MS = 1_000;

/** How the work on the rows ended. `interrupted`: the lease was lost, or the process stops. */
type Ended = 'completed' | 'budget_exceeded' | 'interrupted';

/** Runs and scores the rows of an evaluation that have no result, a bounded number at a time. */
export class RowWorkers {
  #queue: ResultRecord[] = [];
  #after = 0;
  #filling: Promise<void> | null = null;
  #written: number;
  #fault: { readonly cause: unknown } | null = null;

  constructor(
    private readonly deps: WorkDeps,
    private readonly lease: Lease<EvaluationRecord>,
    private readonly metrics: readonly Metric[],
    private readonly summary: SummaryBuilder,
  ) {
    this.#written = deps.app.clock.now();
  }

  /** @throws EvaluationFault; errors of the database */
  async run(): Promise<Ended> {
    const { concurrency } = this.lease.record;
    const stopWatching = this.#watchLater();
    // Every worker is awaited: none may start a run after the lease was released.
    await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    stopWatching();
    if (this.#fault !== null) throw this.#fault.cause;
    if (this.lease.signal.aborted) return 'interrupted';
    return this.#isOverBudget() && (await this.#next()) !== undefined ? 'budget_exceeded' : 'completed';
  }

  /** Looks now and then whether a person has cancelled the evaluation. Returns how to end that. */
  #watchLater(): () => void {
    const { clock } = this.deps.app;
    let isStopped = false;
    let cancel = clock.after(WATCH_MS, () => void look());
    const look = async (): Promise<void> => {
      await this.#leaveIfCancelled().catch((fault: unknown) =>
        this.deps.warn('An evaluation could not be read; its work continues', fault),
      );
      if (!isStopped) cancel = clock.after(WATCH_MS, () => void look());
    };
    return () => {
      isStopped = true;
      cancel();
    };
  }

  async #leaveIfCancelled(): Promise<void> {
    const { _id, tenant_id } = this.lease.record;
    const found = await ofTenant(this.deps.models.evaluations, tenant_id).findOne({ _id, cancelling: false });
    if (found !== null || this.lease.signal.aborted) return;
    // Refused, as the record has changed; with that the lease is lost, and all work on the rows ends.
    await this.lease.write({}).catch((fault: unknown) => {
      if (!(fault instanceof LeaseLost)) throw fault;
    });
  }

  async #work(): Promise<void> {
    while (!this.lease.signal.aborted && this.#fault === null && !this.#isOverBudget()) {
      try {
        const result = await this.#next();
        if (result === undefined) return;
        await this.#evaluate(result);
      } catch (cause) {
        if (!this.lease.signal.aborted && !(cause instanceof LeaseLost)) this.#fault ??= { cause };
        return;
      }
    }
  }

  async #evaluate(result: ResultRecord): Promise<void> {
    const { deps, lease, metrics } = this;
    const { record, signal } = lease;
    const own = ofTenant(deps.models.results, record.tenant_id);
    const row = await ofTenant(deps.models.rows, record.tenant_id).findOne({ _id: result.version_id });
    // Versions of rows that an evaluation needs are not removed.
    if (row === null) throw new Error(`The version ${result.version_id} of a row is missing`);
    const run = await runRow(deps, record, result, row, signal);
    const { scored, ...fields } = await scoreRow(deps, record, metrics, row, run, signal);
    const written = await own.update({ _id: result._id, state: 'pending', attempt: result.attempt }, { $set: fields });
    if (written !== null) this.summary.add({ ...written, metrics: scored });
    await this.#report();
  }

  /** Writes the progress now and then. It also shows that the work gets on, so claims are counted anew. */
  async #report(): Promise<void> {
    const now = this.deps.app.clock.now();
    if (now - this.#written < PROGRESS_MS) return;
    this.#written = now;
    const { rows } = this.summary;
    await this.lease.write({ done: rows, summary: JSON.stringify(this.summary.summary()), attempts: 0 });
  }

  async #next(): Promise<ResultRecord | undefined> {
    if (this.#queue.length === 0) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = null;
      });
      await this.#filling;
    }
    return this.#queue.shift();
  }

  async #fill(): Promise<void> {
    const batch = await pendingResults(this.deps.models, this.lease.record, this.#after, QUEUE);
    const last = batch.at(-1);
    if (last !== undefined) this.#after = last.n;
    this.#queue.push(...batch);
  }

  #isOverBudget(): boolean {
    const { budget_usd, budget_tokens } = this.lease.record;
    const { cost_usd, tokens } = this.summary.spent;
    return (budget_usd !== null && cost_usd >= budget_usd) || (budget_tokens !== null && tokens >= budget_tokens);
  }
}
