import type { Clock } from '../../../lib/clock';
import { errorMessage } from '../../../lib/errors';
import type { BucketRate, TokenBuckets } from '../../../lib/token-bucket';
import type { SeenDelivery } from '../../../contracts/channels/views';

/** How long deliveries are collected before a batch is sent. */
const GATHER_MS = 100;
/** Small, so that a batch blocks the event loop only briefly. */
const MAX_BATCH_DELIVERIES = 50;
/** One batch is one message on the bus. The default limit of NATS is 1 MiB per message. */
const MAX_BATCH_CHARS = 512 * 1024;
/** Limits of the queue while the service accepts no batches. Further deliveries are dropped. */
const MAX_WAITING_DELIVERIES = 5_000;
const MAX_WAITING_CHARS = 32 * 1024 ** 2;

/** Rate per workflow. The delivery log holds 1,000 entries. Above the rate only some deliveries are logged; all of them are processed. */
const TAKEN = { capacity: 1_000, perSecond: 100 } as const;
/** Rate per process, which limits the cost of the log. */
const TAKEN_IN_ALL = { capacity: 3_000, perSecond: 500 } as const;
/** Rate of unauthenticated requests; the others are not logged. */
const REFUSED = { capacity: 30, perSecond: 0.5 } as const;
const REFUSED_IN_ALL = { capacity: 600, perSecond: 50 } as const;

/** A delivery. It is built only when the queue has room for it. */
export interface PendingDelivery {
  readonly workflowId: string;
  /** True for an unauthenticated request: a refused one, or a challenge. */
  readonly minor: boolean;
  readonly write: () => SeenDelivery;
}

interface QueuedDelivery {
  readonly delivery: SeenDelivery;
  /** In characters. */
  readonly size: number;
}

interface DeliveryBatcherDeps {
  readonly buckets: TokenBuckets;
  readonly clock: Clock;
  readonly keep: (deliveries: SeenDelivery[]) => Promise<unknown>;
  readonly warn: (message: string) => void;
}

/**
 * Stores webhook deliveries in batches after their responses. This adds no latency. A crash loses only the last log
 * entries, not the runs.
 */
export class DeliveryBatcher {
  #waiting: QueuedDelivery[] = [];
  #size = 0;
  #cancelTimer: (() => void) | null = null;
  #sending: Promise<void> | null = null;

  constructor(private readonly deps: DeliveryBatcherDeps) {}

  note(pending: PendingDelivery): void {
    if (!this.#hasRoom(pending)) return;
    const delivery = pending.write();
    const size = delivery.raw.length + JSON.stringify([delivery.headers, delivery.query]).length;
    this.#waiting.push({ delivery, size });
    this.#size += size;
    if (this.#waiting.length >= MAX_BATCH_DELIVERIES || this.#size >= MAX_BATCH_CHARS) this.#send();
    else this.#cancelTimer ??= this.deps.clock.after(GATHER_MS, () => this.#send());
  }

  /** Resolves when all pending deliveries are sent. */
  async close(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  #hasRoom({ workflowId, minor }: PendingDelivery): boolean {
    const { buckets, clock } = this.deps;
    const now = clock.now();
    const takes = (name: string, rate: BucketRate): boolean => buckets.takeLocal(name, rate, now) !== null;
    if (this.#waiting.length >= MAX_WAITING_DELIVERIES || this.#size >= MAX_WAITING_CHARS) return false;
    return minor
      ? takes(`inbox:refused:${workflowId}`, REFUSED) && takes('inbox:refused', REFUSED_IN_ALL)
      : takes(`inbox:taken:${workflowId}`, TAKEN) && takes('inbox:taken', TAKEN_IN_ALL);
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  /** Sends one batch at a time; the next one is collected meanwhile. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.deps.keep(batch);
      } catch (fault) {
        this.deps.warn(`${batch.length} webhook deliveries could not be stored: ${errorMessage(fault)}`);
      }
    }
  }

  #nextBatch(): SeenDelivery[] {
    let all = 0;
    let count = 0;
    for (const { size } of this.#waiting) {
      if (count === MAX_BATCH_DELIVERIES || (count > 0 && all + size > MAX_BATCH_CHARS)) break;
      all += size;
      count += 1;
    }
    this.#size -= all;
    return this.#waiting.splice(0, count).map(({ delivery }) => delivery);
  }
}
