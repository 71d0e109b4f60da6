import { promisify } from 'node:util';
import { constants, deflate, inflate } from 'node:zlib';
import { type Cache, createCache } from '../../lib/cache';
import { isObject } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { runSliced, TimeSlice } from '../../lib/time-slices';
import type { Call } from '../../contracts/catalogue';
import type { JournalRecord } from '../../runtime/core/entries/entry';
import type { PreparedPlan } from '../../dsl';
import type { Execution } from '../../runtime/core/model';
import { idRange } from '../../runtime/mongo/collections';
import type { Records } from './records';
import { type LoopProgress, StepIndex } from './step-index';
import { decodeIndex, encodeIndex, SNAPSHOT } from './step-snapshot';
import { type RowSelection, type StepRow, stepRows } from './step-rows';

/** Steps of all cached indexes; each takes some 300 bytes. */
const MAX_CACHED_STEPS = 300_000;
const CACHED_MS = 120_000;
/** What one read of a journal should return, whatever the size of its records. */
const CHARS_PER_READ = 4 * 1024 * 1024;
const FIRST_READ_RECORDS = 64;
const MAX_READ_RECORDS = 5_000;

/** The index of an ended run with as many steps is stored with the run; that of others is built in some milliseconds. */
export const MIN_STORED_STEPS = 4_000;
/** Runs whose indexes wait to be built at their end; those of others are built at their first view. */
const MAX_WAITING = 100;

const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024;

/** On threads of zlib. */
const [deflated, inflated] = [promisify(deflate), promisify(inflate)];

/** Lists of rows that are kept for the next window of each. */
const MAX_KEPT_LISTS = 4;

/** The lists of an index as of a record. */
interface KeptLists {
  readonly n: number | undefined;
  readonly bySelection: Map<string, readonly StepRow[] | null>;
}

/** Indexes of the steps of runs. One of a running run is continued at each request; those of ended runs do not change. */
export class StepIndexes {
  readonly #cache: Cache<StepIndex>;
  /** A tenant has one index built at a time. */
  readonly #building = new KeyedMutex();
  readonly #preparing = new KeyedMutex();
  readonly #lists = new WeakMap<StepIndex, KeptLists>();

  constructor(
    private readonly records: Pick<Records, 'store' | 'plan' | 'collections'>,
    now: () => number,
    private readonly onStoreFault: (fault: unknown) => void,
  ) {
    this.#cache = createCache({ maxSize: MAX_CACHED_STEPS, ttlMs: CACHED_MS, now });
  }

  /** The steps of a run as of its journal now. `execution`: read before this call. */
  async of(call: Call, execution: Execution): Promise<StepIndex> {
    const known = this.#cache.get(execution.id);
    if (known?.complete === true) return known;
    return this.#building.run(execution.tenantId, async () => {
      const cached = this.#cache.get(execution.id);
      if (cached?.complete === true) return cached;
      const plan = cached?.plan ?? (await this.records.plan({ call }, execution.tenantId, execution.planHash));
      const stored = cached === undefined && hasEnded(execution) ? await this.#stored(execution, plan) : null;
      const current = await this.#continued(cached ?? stored ?? new StepIndex(plan), execution);
      current.complete = hasEnded(execution);
      this.#cache.set(execution.id, current, { size: 1 + current.steps.size });
      // The caller does not wait for it; without it, the next process reads the journal again.
      if (current !== stored && isWorthStoring(current)) this.#store(execution, current).catch(this.onStoreFault);
      return current;
    });
  }

  /** Builds and stores the index of a long run that has ended, so that its first view does not read its journal. One at a time. */
  prepare(call: Call, execution: Execution): void {
    if (!hasEnded(execution) || this.#preparing.countOf('') >= MAX_WAITING) return;
    this.#preparing.run('', () => this.of(call, execution)).catch(this.onStoreFault);
  }

  /** The index that was stored for an ended run. */
  async #stored({ id, tenantId }: Execution, plan: PreparedPlan): Promise<StepIndex | null> {
    const stored = (await this.records.store.getPayloads(id, [SNAPSHOT])).get(SNAPSHOT);
    if (stored === undefined) return null;
    // A process that ended while it stored one has left a part of it.
    const text = await inflated(Buffer.from(stored, 'base64'), { maxOutputLength: MAX_SNAPSHOT_BYTES }).catch(
      () => null,
    );
    return text === null ? null : runSliced(decodeIndex(text.toString().split('\n'), plan), tenantId);
  }

  async #store({ id, tenantId }: Execution, index: StepIndex): Promise<void> {
    const { store, collections } = this.records;
    const lines = await runSliced(encodeIndex(index), tenantId);
    const text = await deflated(lines.join('\n'), { level: constants.Z_BEST_SPEED });
    await store.putPayload(id, SNAPSHOT, text.toString('base64'));
    // The run may have been removed, with its payloads, before this one was stored.
    if ((await collections.executions.countDocuments({ _id: id })) === 0)
      await collections.payloads.deleteMany({ _id: idRange(id) });
  }

  /** The rows of a selection; null when the plan has no such parent. */
  async rows(index: StepIndex, selection: RowSelection, tenantId: string): Promise<readonly StepRow[] | null> {
    const key = JSON.stringify([
      selection.parent,
      selection.loops,
      selection.status,
      selection.path,
      selection.step_id,
    ]);
    const n = index.last?.n;
    const known = this.#lists.get(index);
    const kept = known?.n === n ? known?.bySelection.get(key) : undefined;
    if (kept !== undefined) return kept;
    const rows = await runSliced(stepRows(index, selection), tenantId);
    const current = this.#lists.get(index);
    const lists = current?.n === n && current !== undefined ? current : { n, bySelection: new Map() };
    if (lists.bySelection.size >= MAX_KEPT_LISTS) lists.bySelection.clear();
    // Steps may have been added meanwhile.
    if (index.last?.n === n) this.#lists.set(index, { n, bySelection: lists.bySelection.set(key, rows) });
    return rows;
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
    const current = (await this.#isCurrent(index, execution.id)) ? index : new StepIndex(index.plan);
    const slice = new TimeSlice(execution.tenantId);
    const read = (from: number, limit: number): Promise<readonly JournalRecord[]> =>
      this.records.store.journal(execution.id, from, limit);
    let from = (current.last?.n ?? 0) + 1;
    for (let next = read(from, FIRST_READ_RECORDS); ; ) {
      const records = contiguous(await next, from);
      if (records.length === 0) return current;
      from += records.length;
      const chars = records.reduce((sum, { json }) => sum + json.length, 1);
      const limit = Math.min(MAX_READ_RECORDS, Math.ceil((CHARS_PER_READ * records.length) / chars));
      // Read while these are added.
      next = read(from, limit);
      // A failure of the read is thrown where it is awaited.
      next.catch(() => undefined);
      for (const record of records) {
        if (slice.due) await slice.pause();
        current.add(record);
      }
    }
  }

  /** False when the last known record is not the run's: at its position, or before, there may be the record of an end. */
  async #isCurrent({ last }: StepIndex, id: string): Promise<boolean> {
    if (last === null) return true;
    const [record] = await this.records.store.journal(id, last.n, 1);
    return record?.n === last.n && record.epoch === last.epoch && record.host === last.host;
  }
}

const hasEnded = ({ status }: Execution): boolean => status !== 'running';

const isWorthStoring = ({ complete, last, steps }: StepIndex): boolean =>
  complete && last !== null && steps.size >= MIN_STORED_STEPS;

/** The records from a position up to a gap: the record of the end is returned with any part of a journal. */
function contiguous(records: readonly JournalRecord[], from: number): readonly JournalRecord[] {
  const gap = records.findIndex(({ n }, at) => n !== from + at);
  return gap === -1 ? records : records.slice(0, gap);
}
