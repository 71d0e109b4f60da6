import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { LeaderLock } from '../../lib/leader-lock';
import { type NextRun, PeriodicTask } from '../../lib/periodic';
import type { ServiceContext } from '../../mixins/service';
import type { Events } from './events';
import type { EventRecord, SubscriptionRecord, UndeliveredEvent } from './models';
import type { Subscriptions } from './subscriptions';

interface BackgroundJobDeps {
  readonly clock: Clock;
  readonly lock: LeaderLock;
  readonly events: Events;
  readonly subscriptions: Subscriptions;
  /** Processes an event. Returns its outcome. */
  readonly sync: (context: ServiceContext, event: EventRecord) => Promise<string>;
  /** Delivers an event to workflows. Null: to be retried later. */
  readonly notify: (context: ServiceContext, event: UndeliveredEvent) => Promise<string | null>;
  readonly endGrace: (context: ServiceContext, overdue: SubscriptionRecord) => Promise<boolean>;
}

/** Delay of the first pass: the services that it calls may still be starting. */
const START_MS = 1_000;
const INTERVAL_MS = 15_000;
/** Retry delay while another process holds the lock. */
const BUSY_MS = 1_000;

/**
 * Background jobs: process stored events, deliver them to workflows, and end grace periods. One process at a time runs them,
 * one after another. All state is in the database, so another process continues after a crash.
 */
export class BackgroundJobs {
  #task: PeriodicTask | null = null;

  constructor(private readonly deps: BackgroundJobDeps) {}

  start(context: ServiceContext): void {
    this.#task = new PeriodicTask({
      clock: this.deps.clock,
      intervalMs: INTERVAL_MS,
      run: () => this.#work(context),
      onError: (error) => context.log.warn(`Billing background jobs failed: ${errorMessage(error)}`),
    });
    this.#task.start(START_MS);
  }

  /** Runs the jobs now. */
  trigger(): void {
    this.#task?.trigger();
  }

  async stop(): Promise<void> {
    await this.#task?.stop();
  }

  async #work(context: ServiceContext): Promise<NextRun | void> {
    if (!(await this.deps.lock.acquire())) return { inMs: BUSY_MS };
    try {
      while (!this.#task?.isStopped && (await this.#next(context))) if (!(await this.deps.lock.acquire())) return;
    } finally {
      await this.deps.lock.release();
    }
  }

  /** Runs one job; false when none is due. */
  async #next(context: ServiceContext): Promise<boolean> {
    const { events, subscriptions, sync, notify, endGrace } = this.deps;
    const event = await events.due();
    if (event !== null) {
      await sync(context, event).then(
        (note) => events.done(event, note),
        (fault: unknown) => {
          context.log.warn(`Event ${event._id} of the billing provider failed and is retried: ${errorMessage(fault)}`);
          return events.later(event, errorMessage(fault));
        },
      );
      return true;
    }
    const pending = await events.pending();
    if (pending !== null) {
      await notify(context, pending).then(
        (outcome) =>
          outcome === null ? events.retryLater(pending, 'Unknown customer') : events.markNotified(pending, outcome),
        (fault: unknown) => {
          context.log.warn(
            `Event ${pending._id} of the billing provider was not delivered to workflows and is retried: ${errorMessage(fault)}`,
          );
          return events.retryLater(pending, errorMessage(fault));
        },
      );
      return true;
    }
    const overdue = await subscriptions.overdue();
    return overdue !== null && endGrace(context, overdue);
  }
}
