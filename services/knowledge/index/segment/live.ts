import type { DocumentTable } from './documents';

/** Rows `from` to before `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The rows of some entries of a table, as ranges that rise and do not touch. */
export function rangesOf(table: DocumentTable, ordinals: Iterable<number>): RowRange[] {
  const single = Array.from(ordinals, (at) => ({ from: table.start(at), to: table.start(at) + table.count(at) }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  const ranges: { from: number; to: number }[] = [];
  for (const range of single) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to === range.from) last.to = range.to;
    else ranges.push(range);
  }
  return ranges;
}

/** One byte a row: 1 within the ranges, 0 elsewhere. */
export function maskOf(ranges: readonly RowRange[], rows: number): Uint8Array {
  const mask = new Uint8Array(rows);
  for (const { from, to } of ranges) mask.fill(1, from, to);
  return mask;
}

/** The entry that each row belongs to. */
export function ownersOf(table: DocumentTable, rows: number): Uint32Array {
  const owners = new Uint32Array(rows);
  for (let at = 0; at < table.size; at++) owners.fill(at, table.start(at), table.start(at) + table.count(at));
  return owners;
}
