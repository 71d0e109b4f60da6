import type { Model } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { errorMessage } from '../../../lib/errors';
import { PeriodicTask } from '../../../lib/periodic';
import type { WorkflowRecord } from '../models';
import type { DraftRecord } from './model';

/** A create that has not stored its workflow after this time never will. */
const SETTLE_MS = 10 * 60_000;
const BATCH = 100;

/**
 * Looks after drafts that were stored before their workflow. A process that dies between the two leaves a draft that
 * no caller can reach: it is removed. One whose workflow exists is a draft like any other.
 */
export class PendingDrafts {
  readonly #task: PeriodicTask;

  constructor(
    private readonly drafts: Model<DraftRecord>,
    private readonly workflows: Model<WorkflowRecord>,
    private readonly clock: Clock,
    warn: (message: string) => void,
  ) {
    this.#task = new PeriodicTask({
      clock,
      intervalMs: SETTLE_MS,
      run: async () => {
        if (!(await this.sweep())) return { inMs: null };
      },
      onError: (error) => warn(`Drafts without a workflow could not be cleaned up: ${errorMessage(error)}`),
    });
  }

  start(): void {
    this.#task.start(0);
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** A draft is about to be stored before its workflow. */
  expect(): void {
    this.#task.within(2 * SETTLE_MS);
  }

  /** Settles what is old enough. Answers whether there may be more. */
  async sweep(): Promise<boolean> {
    const pending = await this.drafts.find({ pending: true }).select(['created_at']).limit(BATCH).lean().exec();
    const due = pending.filter(({ created_at }) => created_at.getTime() + SETTLE_MS <= this.clock.now());
    for (const { _id } of due) {
      const exists = (await this.workflows.exists({ _id }).exec()) !== null;
      if (exists) await this.drafts.updateOne({ _id }, { $unset: { pending: 1 } }).exec();
      else await this.drafts.deleteOne({ _id, pending: true }).exec();
    }
    return pending.length > 0;
  }
}
