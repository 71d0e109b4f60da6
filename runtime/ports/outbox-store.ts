import type { OutboxItem } from '../core/model';

/** The outbox of an ended run. */
export interface PendingOutbox {
  readonly id: string;
  readonly outbox: readonly OutboxItem[];
}

/** Outboxes of ended runs. */
export interface OutboxStore {
  /** Up to `limit` non-empty outboxes of runs that ended before an instant, oldest first. */
  pending(before: number, limit: number): Promise<PendingOutbox[]>;
  /** Clears the outbox: all items are done. */
  clear(executionId: string): Promise<void>;
}
