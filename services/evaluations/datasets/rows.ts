import { decodeCursor, encodeCursor, invalidCursor } from '../../../lib/cursor';
import type { Json } from '../../../lib/json';
import type { Page } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';
import type { DatasetRow, DatasetView } from '../../../contracts/evaluations/views';
import type { DatasetRecord, EvaluationModels, RowRecord } from '../models';
import { type Revision, rowsOf } from './visible';

/** Characters of the rows of a page: a page of large rows ends early. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const READ_BATCH = 50;

interface RowQuery extends Page {
  readonly cursor?: string | undefined;
  readonly tag?: string | undefined;
}

/** A page of the rows of a revision, in the order of their addition. @throws AppError invalid_request */
export async function rowPage(
  models: Pick<EvaluationModels, 'rows'>,
  tenantId: string,
  revision: Revision,
  { cursor, tag, limit, offset }: RowQuery,
): Promise<{ rows: RowRecord[]; next: string | null }> {
  const own = ofTenant(models.rows, tenantId);
  let after = cursor === undefined ? 0 : positionOf(cursor);
  let skip = cursor === undefined ? offset : 0;
  const rows: RowRecord[] = [];
  let bytes = 0;
  for (;;) {
    const filter = { ...rowsOf(revision), n: { $gt: after }, ...(tag === undefined ? {} : { tags: tag }) };
    const batch = await own.find(filter, { sort: { n: 1 }, offset: skip, limit: READ_BATCH });
    for (const row of batch) {
      if (rows.length === limit || (rows.length > 0 && bytes + row.bytes > MAX_PAGE_BYTES))
        return { rows, next: encodeCursor((rows.at(-1) as RowRecord).n) };
      rows.push(row);
      bytes += row.bytes;
    }
    const last = batch.at(-1);
    if (last === undefined || batch.length < READ_BATCH) return { rows, next: null };
    after = last.n;
    skip = 0;
  }
}

function positionOf(cursor: string): number {
  const [n] = decodeCursor(cursor);
  if (!Number.isSafeInteger(n)) throw invalidCursor();
  return n as number;
}

export const rowView = ({ row_id, input, expected, tags }: RowRecord): DatasetRow => ({
  id: row_id,
  input: JSON.parse(input) as Json,
  ...(expected === null ? {} : { expected: JSON.parse(expected) as Json }),
  tags,
});

export const datasetView = (record: DatasetRecord): DatasetView => ({
  id: record._id,
  name: record.name,
  description: record.description,
  revision: record.revision,
  rows: record.rows,
  bytes: record.bytes,
  created_by: record.created_by,
  created_at: record.created_at.toISOString(),
  updated_at: record.updated_at.toISOString(),
});
