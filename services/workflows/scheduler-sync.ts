import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import type { Timer } from '../../contracts/scheduler';
import { parseStoredTimer } from '../../lib/stored-timer';
import type { Call, ResultOf } from '../../contracts/catalogue';
import { isActive } from './change';
import type { WorkflowModels, WorkflowRecord } from './models';
import type { ChangedWorkflow } from './store';

const SWEEP_MS = 5_000;
const BATCH = 100;
/** A change of a workflow does not wait longer for the scheduler. */
const SYNC_TIMEOUT_MS = 2_000;

/**
 * Synchronizes the scheduler with workflows that have schedules. The record of a workflow is marked by the same write that changes it,
 * and removed when the scheduler has acknowledged it: after a crash or a timeout the next sweep sends it again. Of a
 * workflow that was deleted no record is left to mark; the scheduler finds that out when it wants to start it.
 */
export class SchedulerSync {
  readonly #task: PeriodicTask;

  constructor(
    private readonly models: Pick<WorkflowModels, 'workflows'>,
    private readonly call: Call,
    clock: Clock,
    private readonly warn: (message: string) => void,
  ) {
    this.#task = new PeriodicTask({
      clock,
      intervalMs: SWEEP_MS,
      run: () => this.#sweep(),
      onError: (error) => warn(`Changed schedules could not be read: ${errorMessage(error)}`),
    });
  }

  /** Sends the current schedules of a workflow. A failure is left to the sweep. */
  async notify(workflow: ChangedWorkflow): Promise<void> {
    const { _id, tenant_id, revision, timers = [], deleted_at } = workflow;
    const wanted = {
      workflow_id: _id,
      revision,
      active: isActive(workflow),
      timers: deleted_at === null ? timers.map((timer) => parseStoredTimer<Timer>(timer)) : [],
    };
    try {
      await this.call('scheduler.sync', wanted, { asServiceOf: tenant_id, timeoutMs: SYNC_TIMEOUT_MS });
      if (deleted_at !== null) return;
      await this.models.workflows.updateOne({ _id, tenant_id, revision }, { $unset: { unsynced: 1 } }).exec();
    } catch (error) {
      this.warn(`Schedules of workflow ${_id} were not sent to the scheduler: ${errorMessage(error)}`);
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
    this.#task.start(0);
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #sweep(): Promise<void> {
    const marked = await this.models.workflows
      // By the mark alone: with more to go by, another index could be taken, which leads to every workflow.
      .find({ unsynced: true })
      .select(['tenant_id', 'revision', 'timers', 'enabled', 'status', 'deleted_at'])
      .limit(BATCH)
      .lean()
      .exec();
    for (const workflow of marked) if (!this.#task.isStopped) await this.notify(workflow);
  }
}
