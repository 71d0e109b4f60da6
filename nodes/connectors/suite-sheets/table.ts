import type { Json, JsonObject } from '../../../lib/json';

/** The cells of a response: rows may be shorter than others, and be missing at the end. */
export const cellsOf = (values: readonly Json[]): Json[][] => values.map((row) => (Array.isArray(row) ? row : []));

/** A row by the names in the first one. Columns without a name are left out; of two of a name the left one counts. */
export function named(header: readonly Json[], row: readonly Json[]): JsonObject {
  const entries = new Map<string, Json>();
  header.forEach((cell, index) => {
    const name = nameOf(cell);
    if (name !== '' && !entries.has(name)) entries.set(name, row[index] ?? '');
  });
  return Object.fromEntries(entries);
}

/** Which column a header has, by its name; -1 where it has none. */
export const columnOf = (header: readonly Json[], name: string): number =>
  header.findIndex((cell) => nameOf(cell) === name.trim());

const nameOf = (cell: Json): string => (cell === null || typeof cell === 'object' ? '' : String(cell).trim());

/** The number of the first row of a range in A1 notation; 1 where it names none. */
export function firstRow(range: string): number {
  const found = /(?:^|!)\$?[A-Za-z]{1,3}\$?(\d+)(?::|$)/.exec(range)?.[1];
  return found === undefined ? 1 : Number(found);
}
