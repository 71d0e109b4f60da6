import type { Collection } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { ofTenant } from '../../../lib/tenant';
import type { RowsChange } from '../../../contracts/evaluations/views';
import { type DatasetRecord, type EvaluationModels, OPEN, type RowRecord } from '../models';
import { MAX_DATASET_BYTES, MAX_ROWS } from '../rules/limits';
import type { StoredRow } from '../rules/read-row';
import { notFound } from './store';
import { rowsOf } from './visible';

/** A change that takes longer may be aborted by another one. */
const WRITER_MS = 60_000;
/** How long a change waits for another one. */
const WAIT_MS = 10_000;
const RETRY_MS = 50;
const INSERT_BATCH = 500;
/** The built-in store looks up at most 400 keys by index. */
const LOOKUP_BATCH = 400;
/** Late writes of an aborted change come within seconds, so older numbers need not be kept. */
const KEPT_ABORTED = 50;

/** A dataset that is being changed by the caller alone. */
type Claimed = DatasetRecord & { readonly writer: string; readonly writer_change: number };

type Existing = Pick<RowRecord, '_id' | 'row_id' | 'n' | 'input' | 'expected' | 'tags' | 'bytes'>;

/**
 * Changes the rows of data sets. A change is visible as a whole, by one write at its end, or not at all: until then its rows
 * have a number that no reader asks for. One change of a data set runs at a time; one whose process has died is aborted by
 * the next.
 */
export class RowWriter {
  constructor(
    private readonly models: Pick<EvaluationModels, 'datasets' | 'rows'>,
    private readonly clock: Clock,
  ) {}

  /** Adds rows; one whose id is there is replaced. @throws AppError not_found, conflict, quota_exceeded */
  put(tenantId: string, id: string, given: readonly StoredRow[]): Promise<RowsChange> {
    return this.#change(tenantId, id, async (dataset) => {
      const existing = await this.#existing(dataset, idsOf(given));
      const changed = given.filter((row) => !isSame(row, row.id === null ? undefined : existing.get(row.id)));
      const replaced = changed.flatMap(({ id: rowId }) => (rowId === null ? [] : (existing.get(rowId) ?? [])));
      const added = changed.length - replaced.length;
      const rows = dataset.rows + added;
      const bytes = dataset.bytes + sumOf(changed) - sumOf(replaced);
      assertRoom(rows, bytes);
      const counts = { rows, added, replaced: replaced.length, unchanged: given.length - changed.length };
      if (changed.length === 0) return { kind: 'same', counts };
      let next = dataset.next_n;
      const records = changed.map((row) => recordOf(dataset, row, existing, () => next++));
      for (let at = 0; at < records.length; at += INSERT_BATCH)
        await this.#rows.insertMany(records.slice(at, at + INSERT_BATCH), { ordered: false });
      await this.#close(dataset, replaced);
      return { kind: 'changed', counts, set: { rows, bytes, next_n: next } };
    });
  }

  /** @throws AppError not_found, conflict */
  async remove(tenantId: string, id: string, rowId: string): Promise<void> {
    await this.#change(tenantId, id, async (dataset) => {
      const found = (await this.#existing(dataset, [rowId])).get(rowId);
      if (found === undefined) throw new AppError('not_found', `The data set has no row ${rowId}`);
      await this.#close(dataset, [found]);
      const rows = dataset.rows - 1;
      const counts = { rows, added: 0, replaced: 0, unchanged: 0 };
      return { kind: 'changed', counts, set: { rows, bytes: dataset.bytes - found.bytes } };
    });
  }

  /** Removes the data set with all versions of its rows. After a crash, a repeat completes it. @throws AppError not_found, conflict */
  async drop(tenantId: string, id: string): Promise<void> {
    const claimed = await this.#claim(tenantId, id);
    await ofTenant(this.models.rows, tenantId).remove({ dataset_id: id });
    await ofTenant(this.models.datasets, tenantId).remove({ _id: id, writer: claimed.writer });
  }

  async #change(tenantId: string, id: string, work: (dataset: Claimed) => Promise<Outcome>): Promise<RowsChange> {
    const dataset = await this.#claim(tenantId, id);
    const done = await work(dataset).catch(async (fault: unknown) => {
      await this.#release(dataset, [...dataset.aborted, dataset.writer_change]);
      throw fault;
    });
    const { revision } = dataset;
    if (done.kind === 'same') {
      await this.#release(dataset, dataset.aborted);
      return { revision, ...done.counts };
    }
    const $set = {
      ...done.set,
      revision: dataset.writer_change,
      aborted: dataset.aborted.slice(-KEPT_ABORTED),
      updated_at: new Date(this.clock.now()),
      ...NO_WRITER,
    };
    const own = { _id: id, writer: dataset.writer };
    if ((await ofTenant(this.models.datasets, tenantId).update(own, { $set })) === null) throw overtaken();
    return { revision: dataset.writer_change, ...done.counts };
  }

  /** Waits for the change in progress. One that should have ended is aborted. @throws AppError not_found, conflict */
  async #claim(tenantId: string, id: string): Promise<Claimed> {
    const own = ofTenant(this.models.datasets, tenantId);
    const until = this.clock.now() + WAIT_MS;
    for (;;) {
      const found = await own.findOne({ _id: id });
      if (found === null) throw notFound(id);
      const now = this.clock.now();
      const isFree = found.writer === null || (found.writer_until?.getTime() ?? 0) <= now;
      if (isFree) {
        const writer_change = found.last_change + 1;
        const aborted = found.writer_change === null ? found.aborted : [...found.aborted, found.writer_change];
        const $set = {
          writer: randomId(),
          writer_until: new Date(now + WRITER_MS),
          writer_change,
          last_change: writer_change,
          aborted,
        };
        const claimed = await own.update({ _id: id, writer: found.writer, last_change: found.last_change }, { $set });
        if (claimed !== null) {
          await this.#clean(claimed);
          return claimed as Claimed;
        }
      } else if (now >= until) throw overtaken();
      await new Promise<void>((resolve) => this.clock.after(RETRY_MS, resolve));
    }
  }

  /** Removes what aborted changes wrote. Readers ignore it also before. */
  async #clean({ tenant_id, _id, aborted }: DatasetRecord): Promise<void> {
    if (aborted.length === 0) return;
    const rows = ofTenant(this.models.rows, tenant_id);
    const among = { $in: aborted };
    await rows.remove({ dataset_id: _id, from: among });
    await this.#rows.updateMany({ tenant_id, dataset_id: _id, to: among }, { $set: { to: OPEN, closed_at: null } });
  }

  async #release({ tenant_id, _id, writer }: Claimed, aborted: readonly number[]): Promise<void> {
    const $set = { ...NO_WRITER, aborted: aborted.slice(-KEPT_ABORTED) };
    await ofTenant(this.models.datasets, tenant_id).update({ _id, writer }, { $set });
  }

  async #existing(dataset: DatasetRecord, ids: readonly string[]): Promise<Map<string, Existing>> {
    const found = new Map<string, Existing>();
    const { _id: dataset_id, tenant_id, revision, aborted } = dataset;
    const visible = rowsOf({ dataset_id, revision, aborted });
    for (let at = 0; at < ids.length; at += LOOKUP_BATCH) {
      const row_id = { $in: ids.slice(at, at + LOOKUP_BATCH) };
      const fields = ['row_id', 'n', 'input', 'expected', 'tags', 'bytes'];
      for (const row of await ofTenant(this.models.rows, tenant_id).find({ ...visible, row_id }, { fields }))
        found.set(row.row_id, row);
    }
    return found;
  }

  async #close({ tenant_id, writer_change }: Claimed, rows: readonly Existing[]): Promise<void> {
    const $set = { to: writer_change, closed_at: new Date(this.clock.now()) };
    for (let at = 0; at < rows.length; at += LOOKUP_BATCH) {
      const among = rows.slice(at, at + LOOKUP_BATCH).map(({ _id }) => _id);
      await this.#rows.updateMany({ _id: { $in: among }, tenant_id }, { $set });
    }
  }

  /** Bypasses mongoose, which would validate every field of every row. */
  get #rows(): Collection<RowRecord> {
    return this.models.rows.collection as unknown as Collection<RowRecord>;
  }
}

type Counts = Omit<RowsChange, 'revision'>;

type Outcome =
  | { readonly kind: 'same'; readonly counts: Counts }
  | { readonly kind: 'changed'; readonly counts: Counts; readonly set: Partial<DatasetRecord> };

const NO_WRITER = { writer: null, writer_until: null, writer_change: null } as const;

const idsOf = (rows: readonly StoredRow[]): string[] => rows.flatMap(({ id }) => (id === null ? [] : [id]));

const sumOf = (rows: readonly { readonly bytes: number }[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);

const isSame = (row: StoredRow, known: Existing | undefined): boolean =>
  known !== undefined &&
  known.input === row.input &&
  known.expected === row.expected &&
  known.tags.join('\n') === row.tags.join('\n');

/** A replaced row keeps its position. */
function recordOf(
  { _id, tenant_id, writer_change }: Claimed,
  { id, input, expected, tags, bytes }: StoredRow,
  existing: ReadonlyMap<string, Existing>,
  next: () => number,
): RowRecord {
  const known = id === null ? undefined : existing.get(id);
  return {
    _id: randomId(),
    tenant_id,
    dataset_id: _id,
    row_id: id ?? randomId(),
    n: known?.n ?? next(),
    from: writer_change,
    to: OPEN,
    closed_at: null,
    input,
    expected,
    tags: [...tags],
    bytes,
  };
}

/** @throws AppError quota_exceeded */
function assertRoom(rows: number, bytes: number): void {
  if (rows > MAX_ROWS)
    throw new AppError(
      'quota_exceeded',
      `A data set has at most ${MAX_ROWS} rows; use several data sets, or remove rows`,
    );
  if (bytes > MAX_DATASET_BYTES)
    throw new AppError(
      'quota_exceeded',
      `The rows of a data set have at most ${MAX_DATASET_BYTES} bytes; use several data sets, or smaller rows`,
    );
}

const overtaken = (): AppError =>
  new AppError('conflict', 'The data set is being changed by another request; try again', { retry_after: 1 });
