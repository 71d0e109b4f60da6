import type { Json, JsonObject } from '../../lib/json';
import { batchTrigger, type Gathering } from '../core/decide/gathering';
import type { BigText } from './documents';
import type { ConcurrencyDocument, ThrottleDocument } from './start-members';
import {
  concurrencyFromDocument,
  concurrencyToDocument,
  throttleFromDocument,
  throttleToDocument,
} from './start-members';

/** The starts of a run inside its document. */
export interface GatheringDocument {
  kind: Gathering['kind'];
  slot: string;
  key: string;
  max_size: number | null;
  state: Gathering['state'];
  first_at: Date;
  begins_at: Date;
  count: number;
  starts: string[];
  chars: number;
  held: { concurrency: ConcurrencyDocument | null; throttle: ThrottleDocument | null; timeout_ms: number | null };
}

/** The last run of a slot of a debounce or batch. */
export interface GatheringSlotDocument {
  _id: string;
  run: string;
  until: Date;
}

/** The run of a start that was gathered with others. */
export interface StartMarkDocument {
  _id: string;
  run: string;
  digest: string | null;
  until: Date;
}

export const gatheringToDocument = ({ maxSize, firstAt, beginsAt, starts, held, ...rest }: Gathering) => ({
  ...rest,
  max_size: maxSize,
  first_at: new Date(firstAt),
  begins_at: new Date(beginsAt),
  starts: [...starts],
  held: {
    concurrency: held.concurrency === null ? null : concurrencyToDocument(held.concurrency),
    throttle: held.throttle === null ? null : throttleToDocument(held.throttle),
    timeout_ms: held.timeoutMs,
  },
});

export const gatheringFromDocument = ({
  max_size,
  first_at,
  begins_at,
  held,
  ...rest
}: GatheringDocument): Gathering => ({
  ...rest,
  maxSize: max_size,
  firstAt: first_at.getTime(),
  beginsAt: begins_at.getTime(),
  held: {
    concurrency: held.concurrency === null ? null : concurrencyFromDocument(held.concurrency),
    throttle: held.throttle === null ? null : throttleFromDocument(held.throttle),
    timeoutMs: held.timeout_ms,
  },
});

/** The trigger of a batch that has not begun. */
export const batchOf = (events: readonly BigText[], big: (text: BigText) => Json): JsonObject =>
  batchTrigger(events.map((event) => big(event) as JsonObject));
