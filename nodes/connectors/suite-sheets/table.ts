import type { Json, JsonObject } from '../../../lib/json';

/** The cells of a response: rows may be shorter than others, and be missing at the end. */
export const cellsOf = (values: readonly Json[]): Json[][] => values.map((row) => (Array.isArray(row) ? row : []));

/** A row as an object by the header row. Columns without a name are omitted; of duplicate names the left column wins. */
export function named(header: readonly Json[], row: readonly Json[]): JsonObject {
  const entries = new Map<string, Json>();
  header.forEach((cell, index) => {
    const name = nameOf(cell);
    if (name !== '' && !entries.has(name)) entries.set(name, row[index] ?? '');
  });
  return Object.fromEntries(entries);
}

/** Index of the column with a name; -1 if there is none. */
export const columnOf = (header: readonly Json[], name: string): number =>
  header.findIndex((cell) => nameOf(cell) === name.trim());

const nameOf = (cell: Json): string => (cell === null || typeof cell === 'object' ? '' : String(cell).trim());

/** Number of the first row of a range in A1 notation; 1 if it has none. */
export function firstRow(range: string): number {
  const found = /(?:^|!)\$?[A-Za-z]{1,3}\$?(\d+)(?::|$)/.exec(range)?.[1];
  return found === undefined ? 1 : Number(found);
}
