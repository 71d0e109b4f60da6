import type { ResultOf } from '../../../contracts/catalogue';
import type { RunEvent } from '../../../contracts/executions/views';
import { isRefused } from '../../../lib/errors';

export type EventBatch = ResultOf<'executions.events'>;

/** Events behind a position, as of a version of the run. */
interface FeedPosition {
  readonly version: number;
  readonly after: number;
}

/**
 * The events of one run for all streams of one audience: what one of them has read is not read again for the others until
 * the run has moved.
 */
export class RunFeed {
  #pending: (FeedPosition & { readonly batch: Promise<EventBatch> }) | null = null;
  #last: (FeedPosition & { readonly batch: EventBatch }) | null = null;

  /** `version` counts how often the run has moved. Rejects with what `read` rejects with. */
  async after(after: number, version: number, read: (after: number) => Promise<EventBatch>): Promise<EventBatch> {
    const last = this.#last;
    if (last !== null && covers(last, after, version) && reaches(last.batch, after)) return since(last.batch, after);
    const pending = this.#pending;
    if (pending !== null && covers(pending, after, version)) {
      const batch = await sharedBatch(pending.batch);
      if (batch !== null && reaches(batch, after)) return since(batch, after);
    }
    const reading = { version, after, batch: read(after) };
    this.#pending = reading;
    try {
      const batch = await reading.batch;
      this.#last = { version, after, batch };
      return batch;
    } finally {
      if (this.#pending === reading) this.#pending = null;
    }
  }

  /** Lets go of events that all streams have probably sent; what comes after them is still known. */
  trim(): void {
    const end = this.#last?.batch.events.at(-1)?.position;
    if (this.#last === null || end === undefined) return;
    this.#last = { ...this.#last, after: end, batch: { ...this.#last.batch, events: [] } };
  }
}

/** The batch that another stream reads; null where only that stream's caller may not have it. */
async function sharedBatch(reading: Promise<EventBatch>): Promise<EventBatch | null> {
  try {
    return await reading;
  } catch (fault) {
    if (isRefused(fault)) return null;
    throw fault;
  }
}

const covers = (read: FeedPosition, after: number, version: number): boolean =>
  read.version === version && read.after <= after;

/** False for a part of the events that ends before there is any for this position. */
const reaches = ({ events, more = false }: EventBatch, after: number): boolean =>
  !more || (events.at(-1)?.position ?? 0) > after;

const since = (batch: EventBatch, after: number): EventBatch =>
  batch.events.every(({ position }) => position > after)
    ? batch
    : { ...batch, events: batch.events.filter(({ position }: RunEvent) => position > after) };
