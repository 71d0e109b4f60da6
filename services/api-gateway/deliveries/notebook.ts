import type { Clock } from '../../../lib/clock';
import { errorMessage } from '../../../lib/errors';
import type { SeenDelivery } from '../../channels/contract';
import { Quota } from './quota';

/** How long deliveries gather before they are handed on. */
const GATHER_MS = 100;
/** Few, so that no batch keeps the process from answering others for more than a moment. */
const MOST_IN_BATCH = 50;
/** Characters: one batch is one message on the bus, and a message of NATS has at most a mebibyte as it comes. */
const MOST_IN_BATCH_SIZE = 512 * 1024;
/** What waits at the most while nobody takes it; what comes then is not kept. */
const MOST_WAITING = 5_000;
const MOST_WAITING_SIZE = 32 * 1024 ** 2;

/** An inbox has room for a thousand; a workflow that gets more than this sees a part of it, all of which has run. */
const TAKEN = { burst: 1_000, perSecond: 100 } as const;
/** So that keeping notes never takes more than a small share of what a host can do. */
const TAKEN_IN_ALL = { burst: 3_000, perSecond: 500 } as const;
/** What anybody who knows an address can cause is kept as a sample. */
const REFUSED = { burst: 30, perSecond: 0.5 } as const;
const REFUSED_IN_ALL = { burst: 600, perSecond: 50 } as const;

/** A delivery that is put on paper only when there is room for it. */
export interface Noted {
  readonly workflowId: string;
  /** Nobody has shown a right to send it. */
  readonly minor: boolean;
  readonly write: () => SeenDelivery;
}

interface Written {
  readonly delivery: SeenDelivery;
  /** In characters. */
  readonly size: number;
}

export interface NotebookDeps {
  readonly clock: Clock;
  readonly keep: (deliveries: SeenDelivery[]) => Promise<unknown>;
  readonly warn: (message: string) => void;
}

/**
 * Gathers what came in, and hands it on in batches, after it was answered: it costs a sender nothing, and a process that
 * dies loses the notes of its last moment, not the runs.
 */
export class Notebook {
  readonly #taken = new Quota(TAKEN.burst, TAKEN.perSecond);
  readonly #takenInAll = new Quota(TAKEN_IN_ALL.burst, TAKEN_IN_ALL.perSecond);
  readonly #refused = new Quota(REFUSED.burst, REFUSED.perSecond);
  readonly #refusedInAll = new Quota(REFUSED_IN_ALL.burst, REFUSED_IN_ALL.perSecond);
  #waiting: Written[] = [];
  #size = 0;
  #cancelTimer: (() => void) | null = null;
  #sending: Promise<void> | null = null;

  constructor(private readonly deps: NotebookDeps) {}

  note(noted: Noted): void {
    if (!this.#hasRoom(noted)) return;
    const delivery = noted.write();
    const size = delivery.raw.length + JSON.stringify([delivery.headers, delivery.query]).length;
    this.#waiting.push({ delivery, size });
    this.#size += size;
    if (this.#waiting.length >= MOST_IN_BATCH || this.#size >= MOST_IN_BATCH_SIZE) this.#send();
    else this.#cancelTimer ??= this.deps.clock.after(GATHER_MS, () => this.#send());
  }

  /** Resolves when all that was noted is handed on. */
  async close(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  #hasRoom({ workflowId, minor }: Noted): boolean {
    const now = this.deps.clock.now();
    if (this.#waiting.length >= MOST_WAITING || this.#size >= MOST_WAITING_SIZE) return false;
    if (!minor) return this.#taken.take(workflowId, now) && this.#takenInAll.take('', now);
    return this.#refused.take(workflowId, now) && this.#refusedInAll.take('', now);
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  /** While one batch is on its way, the next gathers. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.deps.keep(batch);
      } catch (fault) {
        this.deps.warn(
          `${batch.length} deliveries are missing in the inboxes of their workflows: ${errorMessage(fault)}`,
        );
      }
    }
  }

  #nextBatch(): SeenDelivery[] {
    let all = 0;
    let count = 0;
    for (const { size } of this.#waiting) {
      if (count === MOST_IN_BATCH || (count > 0 && all + size > MOST_IN_BATCH_SIZE)) break;
      all += size;
      count += 1;
    }
    this.#size -= all;
    return this.#waiting.splice(0, count).map(({ delivery }) => delivery);
  }
}
