import { AppError, type ErrorDetail, summaryOf } from '../../../lib/errors';
import { readRow, type StoredRow } from './read-row';

const MAX_FAULTS = 50;

/** The rows of a list, or the first faults. An id may appear once. Pure. */
export function readRows(
  given: Iterable<unknown>,
  root: string,
): readonly StoredRow[] | { readonly faults: ErrorDetail[] } {
  const rows: StoredRow[] = [];
  const faults: ErrorDetail[] = [];
  const seen = new Map<string, number>();
  let index = 0;
  for (const each of given) {
    const path = `${root}[${index}]`;
    const row = readRow(each, path);
    if (isRow(row)) {
      const first = row.id === null ? undefined : seen.get(row.id);
      if (first !== undefined) faults.push({ path: `${path}.id`, message: `is the id of ${root}[${first}], too` });
      if (row.id !== null) seen.set(row.id, index);
      rows.push(row);
    } else faults.push(...row);
    if (faults.length >= MAX_FAULTS) break;
    index += 1;
  }
  return faults.length > 0 ? { faults: faults.slice(0, MAX_FAULTS) } : rows;
}

const isRow = (read: StoredRow | readonly ErrorDetail[]): read is StoredRow => !Array.isArray(read);

/** @throws AppError invalid_request with the faults */
export function assertRows(
  read: readonly StoredRow[] | { readonly faults: readonly ErrorDetail[] },
): readonly StoredRow[] {
  if (!('faults' in read)) return read;
  throw new AppError('invalid_request', `The rows are not valid: ${summaryOf(read.faults)}`, {
    details: [...read.faults],
  });
}
