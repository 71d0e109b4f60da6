import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { readTimer } from '../../mixins/timer-text';
import type { Call, ResultOf } from '../catalogue';
import { isActive } from './change';
import type { WorkflowModels, WorkflowRecord } from './models';
import type { ChangedWorkflow } from './store';

const SWEEP_MS = 5_000;
const BATCH = 100;
/** A change of a workflow does not wait longer for the scheduler. */
const PATIENCE_MS = 2_000;

/**
 * Tells the scheduler of workflows with schedules. The record of a workflow is marked by the same write that changes it,
 * and the mark goes when the scheduler has heard: what a crash or a silent scheduler leaves is told by the next sweep. Of a
 * workflow that was deleted no record is left to mark; the scheduler finds that out when it wants to start it.
 */
export class Scheduling {
  #cancelTimer: (() => void) | null = null;
  #stopped = false;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly models: Pick<WorkflowModels, 'workflows'>,
    private readonly call: Call,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {}

  /** Says what the schedules of a workflow are now. A failure is left to the sweep. */
  async tell(workflow: ChangedWorkflow): Promise<void> {
    const { _id, tenant_id, revision, timers = [], deleted_at } = workflow;
    const wanted = {
      workflow_id: _id,
      revision,
      active: isActive(workflow),
      timers: deleted_at === null ? timers.map(readTimer) : [],
    };
    try {
      await this.call('scheduler.sync', wanted, { asServiceOf: tenant_id, timeoutMs: PATIENCE_MS });
      if (deleted_at !== null) return;
      await this.models.workflows.updateOne({ _id, tenant_id, revision }, { $unset: { unsynced: 1 } }).exec();
    } catch (error) {
      this.warn(`The scheduler did not hear of workflow ${_id}: ${errorMessage(error)}`);
    }
  }

  /** The schedules of a workflow. @throws AppError unavailable */
  async state({ _id, tenant_id, timers = [] }: WorkflowRecord): Promise<ResultOf<'workflows.schedule'>> {
    if (timers.length === 0) return { schedule: null };
    const { schedules } = await this.call('scheduler.state', { workflow_id: _id }, { asServiceOf: tenant_id });
    const [schedule = null] = schedules;
    return schedules.length > 1 ? { schedule, schedules } : { schedule };
  }

  /** Looks for marks, now and every few seconds. */
  start(): void {
    this.#sweepAfter(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const marked = await this.models.workflows
      // By the mark alone: with more to go by, another index could be taken, which leads to every workflow.
      .find({ unsynced: true })
      .select(['tenant_id', 'revision', 'timers', 'enabled', 'status', 'deleted_at'])
      .limit(BATCH)
      .lean()
      .exec();
    for (const workflow of marked) if (!this.#stopped) await this.tell(workflow);
  }

  #sweepAfter(delayMs: number): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.clock.after(delayMs, () => {
      this.#sweeping = this.#sweep()
        .catch((error: unknown) => this.warn(`Schedules are not looked after now: ${errorMessage(error)}`))
        .then(() => this.#sweepAfter(SWEEP_MS));
    });
  }
}
