import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import type { WorkflowModels } from './models';

/** Cancels and removes all executions of a workflow. Repeating it is harmless. */
type PurgeExecutions = (tenantId: string, workflowId: string) => Promise<void>;

/** What belongs to workflows, and goes with them. Repeating it is harmless. */
interface DependentRecords {
  removeAll(tenantId: string, workflowId: string): Promise<void>;
}

/** Everything that a webhook may still do for a workflow that it saw just before the removal has ended by then. */
const SETTLE_MS = 10_000;
const RETRY_MS = 5_000;
const BATCH = 100;

/**
 * Takes away what belonged to deleted workflows. The mark on the record is the removal; this only tidies up after it,
 * as often as it takes, so a crash anywhere leaves work for the next sweep and nothing for users to see.
 *
 * The mark stays for a while after the first purge: a start that had passed its checks may store its run after that
 * purge. The second purge takes such runs, and only then the mark goes, last of all.
 */
export class Removal {
  readonly #task: PeriodicTask;

  constructor(
    private readonly models: Pick<WorkflowModels, 'workflows'>,
    private readonly dependents: readonly DependentRecords[],
    private readonly purge: PurgeExecutions,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {
    this.#task = new PeriodicTask({
      clock,
      intervalMs: RETRY_MS,
      run: async () => {
        if (!(await this.sweep())) return { inMs: null };
      },
      onError: (error) => warn(`Deleted workflows could not be cleaned up: ${errorMessage(error)}`),
    });
  }

  /** Purges what a workflow that has just been marked leaves behind, and plans the rest. Failures are left to the sweep. */
  async begin(tenantId: string, workflowId: string): Promise<void> {
    this.#task.within(SETTLE_MS);
    await this.#clear(tenantId, workflowId);
  }

  /** Looks for marks, now and as long as there are any. */
  start(): void {
    this.#task.start(0);
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Finishes what is due. Answers whether marks are left. */
  async sweep(): Promise<boolean> {
    const marked = await this.models.workflows
      // A range of times: for "not null" the built-in store would look at every workflow.
      .find({ deleted_at: { $gt: new Date(0) } })
      .select(['tenant_id', 'deleted_at'])
      .limit(BATCH)
      .lean()
      .exec();
    let left = marked.length === BATCH;
    for (const record of marked) {
      const settled = (record.deleted_at as Date).getTime() + SETTLE_MS <= this.clock.now();
      const cleared = await this.#clear(record.tenant_id, record._id);
      if (settled && cleared) {
        await this.models.workflows.deleteOne({ _id: record._id, deleted_at: { $ne: null } }).exec();
      } else {
        left = true;
      }
    }
    return left;
  }

  /** False when something is left; one failing workflow must not delay the others. */
  async #clear(tenantId: string, workflowId: string): Promise<boolean> {
    try {
      await this.purge(tenantId, workflowId);
      for (const each of this.dependents) await each.removeAll(tenantId, workflowId);
      return true;
    } catch (error) {
      this.warn(`Workflow ${workflowId} is deleted, but not all that belonged to it: ${errorMessage(error)}`);
      return false;
    }
  }
}
