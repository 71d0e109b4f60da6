/**
 * Processes the outboxes of ended runs. Owns: that all items are done. Does not own: what they are; the end contains
 * them.
 *
 *  X1  The items are in the run's own document, written with the end, until all of them are done. After a crash, a
 *      sweep of any host repeats them; they are idempotent.
 *  X2  Messages to a run that has ended, or does not exist, are dropped.
 */
import type { Clock } from '../../lib/clock';
import type { OutboxItem } from '../core/model';
import type { Message } from '../core/state/state';
import type { OutboxStore, PendingOutbox } from '../ports/outbox-store';
import type { RunStore } from '../ports/run-store';

/** The host of an ended run processes its outbox at once; after this time any host does. */
const OVERDUE_MS = 5_000;
/** Outboxes that one sweep processes. */
const MAX_SWEPT = 50;

export type SendMessage = (executionId: string, message: Message) => Promise<void>;

/** Stores messages and sends a hint for each: `owner` is the host of the run, null when it has none. */
export const messageSender =
  (deps: {
    readonly store: Pick<RunStore, 'addMessage'>;
    readonly clock: Clock;
    readonly onMessageStored: (executionId: string, message: Message, owner: string | null) => void;
  }): SendMessage =>
  async (executionId, message) => {
    const stored = await deps.store.addMessage(executionId, message, deps.clock.now());
    if (stored.kind === 'posted' || stored.kind === 'known') deps.onMessageStored(executionId, message, stored.owner);
  };

interface OutboxDeps {
  readonly outboxes: OutboxStore;
  readonly clock: Clock;
  readonly sendMessage: SendMessage;
  readonly releasePermit: (executionId: string, group: string, limit: number) => Promise<void>;
  /** Starts the workflows that this end triggers. */
  readonly publishEnd: (executionId: string) => Promise<void>;
}

export class Outbox {
  constructor(private readonly deps: OutboxDeps) {}

  async process({ id, outbox }: PendingOutbox): Promise<void> {
    if (outbox.length === 0) return;
    for (const item of outbox) await this.#deliver(id, item);
    await this.deps.outboxes.clear(id);
  }

  /** Processes overdue outboxes and returns the errors. A failing one does not delay the others. */
  async sweep(): Promise<unknown[]> {
    const { outboxes, clock } = this.deps;
    const faults: unknown[] = [];
    for (const outbox of await outboxes.pending(clock.now() - OVERDUE_MS, MAX_SWEPT)) {
      await this.process(outbox).catch((fault: unknown) => faults.push(fault));
    }
    return faults;
  }

  #deliver(id: string, item: OutboxItem): Promise<void> {
    switch (item.kind) {
      case 'post':
        return this.deps.sendMessage(item.to, item.message);
      case 'leave':
        return this.deps.releasePermit(id, item.group, item.limit);
      case 'announce':
        return this.deps.publishEnd(id);
    }
  }
}
