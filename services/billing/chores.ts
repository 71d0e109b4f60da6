import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import type { Events } from './events';
import type { Lease } from './lease';
import type { EventRecord, SubscriptionRecord, TellingRecord } from './models';
import type { Subscriptions } from './subscriptions';

export interface ChoreDeps {
  readonly clock: Clock;
  readonly lease: Lease;
  readonly events: Events;
  readonly subscriptions: Subscriptions;
  /** Answers with what has become of the event. */
  readonly sync: (context: ServiceContext, event: EventRecord) => Promise<string>;
  /** Tells workflows of it; null: later. */
  readonly tell: (context: ServiceContext, event: TellingRecord) => Promise<string | null>;
  readonly endGrace: (context: ServiceContext, overdue: SubscriptionRecord) => Promise<boolean>;
}

/** Services of the same process that are asked may still be starting. */
const START_MS = 1_000;
const LOOK_MS = 15_000;
/** While another process is at it: it may just have finished looking. */
const BUSY_MS = 1_000;

/**
 * What is done in the background: events that were kept, workflows that they start, and graces that are over. One process at a time does it, one
 * thing after another; all that it has to remember is in the records, so any process goes on where another one died.
 */
export class Chores {
  #cancelTimer: (() => void) | null = null;
  #working: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #context: ServiceContext | null = null;

  constructor(private readonly deps: ChoreDeps) {}

  start(context: ServiceContext): void {
    this.#context = context;
    this.#lookAfter(START_MS);
  }

  /** There is something to do. */
  kick(): void {
    if (this.#stopped || this.#context === null) return;
    this.#again = true;
    this.#working ??= this.#work(this.#context).finally(() => {
      this.#working = null;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#working;
  }

  async #work(context: ServiceContext): Promise<void> {
    let pause = LOOK_MS;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        if (await this.deps.lease.take()) await this.#holding(context);
        else pause = BUSY_MS;
      }
    } catch (fault) {
      context.log.warn(`Billing could not look for what is to be done; it does again: ${errorMessage(fault)}`);
    }
    this.#lookAfter(pause);
  }

  #lookAfter(pause: number): void {
    this.#cancelTimer?.();
    if (!this.#stopped) this.#cancelTimer = this.deps.clock.after(pause, () => this.kick());
  }

  async #holding(context: ServiceContext): Promise<void> {
    try {
      while (!this.#stopped && (await this.#next(context))) if (!(await this.deps.lease.take())) return;
    } finally {
      await this.deps.lease.release();
    }
  }

  /** Does one thing; false when there is none. */
  async #next(context: ServiceContext): Promise<boolean> {
    const { events, subscriptions, sync, tell, endGrace } = this.deps;
    const event = await events.due();
    if (event !== null) {
      await sync(context, event).then(
        (note) => events.done(event, note),
        (fault: unknown) => {
          context.log.warn(`Event ${event._id} of the billing provider is tried again later: ${errorMessage(fault)}`);
          return events.later(event, errorMessage(fault));
        },
      );
      return true;
    }
    const untold = await events.untold();
    if (untold !== null) {
      await tell(context, untold).then(
        (told) =>
          told === null ? events.tellLater(untold, 'Its customer is not known yet') : events.told(untold, told),
        (fault: unknown) => {
          context.log.warn(
            `Workflows hear of event ${untold._id} of the billing provider later: ${errorMessage(fault)}`,
          );
          return events.tellLater(untold, errorMessage(fault));
        },
      );
      return true;
    }
    const overdue = await subscriptions.overdue();
    return overdue !== null && endGrace(context, overdue);
  }
}
