import { AppError } from './errors';
import type { Json } from './json';

/** A cursor from the values that identify the last row of a page. */
export const encodeCursor = (...parts: readonly Json[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The values of a cursor, unchecked; empty for a text that is none. */
export function decodeCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

export const invalidCursor = (): AppError =>
  new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous answer, with the same sort');

/** The records after a row in the order of a field and then of ids. */
export function afterRow(field: string, direction: 1 | -1, value: Json | Date, id: string): Record<string, unknown> {
  const [after, from] = direction === 1 ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
  // The first clause bounds the scan of the index.
  return {
    [field]: { [from]: value },
    $or: [{ [field]: { [after]: value } }, { [field]: value, _id: { $gt: id } }],
  };
}
