import { type Cache, createCache } from '../../lib/cache';
import { isObject } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { TimeSlice } from '../../lib/time-slices';
import type { Call } from '../../contracts/catalogue';
import type { JournalRecord } from '../../runtime/core/entries/entry';
import type { Execution } from '../../runtime/core/model';
import type { Records } from './records';
import { type LoopProgress, StepIndex } from './step-index';

/** Steps of all cached indexes; each takes some 300 bytes. */
const MAX_CACHED_STEPS = 300_000;
const CACHED_MS = 120_000;
/** What one read of a journal should return, whatever the size of its records. */
const CHARS_PER_READ = 4 * 1024 * 1024;
const FIRST_READ_RECORDS = 64;
const MAX_READ_RECORDS = 5_000;

/** Indexes of the steps of runs. One of a running run is continued at each request; those of ended runs do not change. */
export class StepIndexes {
  readonly #cache: Cache<StepIndex>;
  /** A tenant has one index built at a time. */
  readonly #building = new KeyedMutex();

  constructor(
    private readonly records: Pick<Records, 'store' | 'plan'>,
    now: () => number,
  ) {
    this.#cache = createCache({ maxSize: MAX_CACHED_STEPS, ttlMs: CACHED_MS, now });
  }

  /** The steps of a run as of its journal now. `execution`: read before this call. */
  async of(call: Call, execution: Execution): Promise<StepIndex> {
    const known = this.#cache.get(execution.id);
    if (known?.complete === true) return known;
    return this.#building.run(execution.tenantId, async () => {
      const index =
        this.#cache.get(execution.id) ??
        new StepIndex(await this.records.plan({ call }, execution.tenantId, execution.planHash));
      const current = await this.#continued(index, execution);
      current.complete = execution.status !== 'running';
      this.#cache.set(execution.id, current, { size: 1 + current.steps.size });
      return current;
    });
  }

  /** The number of items of a loop; null for a `while`, and for a loop that has not begun. */
  async totalOf(executionId: string, loop: LoopProgress): Promise<number | null> {
    const { itemsRef } = loop;
    if (loop.total !== null || itemsRef === null) return loop.total;
    const json = (await this.records.store.getPayloads(executionId, [itemsRef])).get(itemsRef);
    const opening = json === undefined ? null : await parseJsonSliced(json, NO_LIMITS);
    if (isObject(opening) && Array.isArray(opening.items)) loop.total = opening.items.length;
    return loop.total;
  }

  async #continued(index: StepIndex, execution: Execution): Promise<StepIndex> {
    if (index.complete) return index;
    const slice = new TimeSlice(execution.tenantId);
    let current = index;
    for (let limit = FIRST_READ_RECORDS; ; ) {
      // The last known record is read again: at its position, or before, there may be the record of a late end.
      const from = current.last?.n ?? 1;
      const read = await this.records.store.journal(execution.id, from, limit);
      const { last } = current;
      if (last !== null && !isSame(read[0], last)) {
        current = new StepIndex(index.plan);
        continue;
      }
      const fresh = followingOf(read, last);
      for (const record of fresh) {
        if (slice.due) await slice.pause();
        current.add(record);
      }
      if (fresh.length === 0) return current;
      const chars = fresh.reduce((sum, { json }) => sum + json.length, 0);
      limit = Math.max(2, Math.min(MAX_READ_RECORDS, Math.ceil((CHARS_PER_READ * fresh.length) / (chars + 1))));
    }
  }
}

const isSame = (record: JournalRecord | undefined, last: Pick<JournalRecord, 'n' | 'epoch' | 'host'>): boolean =>
  record?.n === last.n && record.epoch === last.epoch && record.host === last.host;

/** The records after the last one. The record of the end is returned with any part of a journal, so there may be a gap. */
function followingOf(
  records: readonly JournalRecord[],
  last: Pick<JournalRecord, 'n'> | null,
): readonly JournalRecord[] {
  const first = last === null ? 0 : 1;
  const gap = records.findIndex(({ n }, at) => at > 0 && n !== (records[at - 1] as JournalRecord).n + 1);
  return records.slice(first, gap === -1 ? undefined : gap);
}
