import { createHash } from 'node:crypto';
import { setOwn } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { suiteSheets } from '../../connectors/suite-sheets';
import type { Poller, PollItem } from '../contract';
import { member } from '../json';
import { providerClient } from '../provider-client';
import { urlPath } from '../../connectors/http/path';

/** All columns that a sheet can have. Without the name of a sheet, of the first one. */
const ALL = 'A1:ZZZ';

/** The known rows: their number, and the content of the last one, as rows may be removed or inserted above it. */
interface Position {
  readonly rows: number;
  readonly last: string;
}

/** Rows that are added below the others. The first row has the names of the columns. */
export const suiteSheet: Poller = {
  type: 'suite_sheet',
  async poll(context) {
    const { config, cursor, limit } = context;
    const request = await providerClient(context, suiteSheets);
    const { spreadsheet, sheet } = config;
    const range = sheet === undefined ? ALL : `'${String(sheet).replaceAll("'", "''")}'`;
    const path = urlPath`/v4/spreadsheets/${spreadsheet}/values/${range}`;
    const { body } = await request({ path, query: { majorDimension: 'ROWS', valueRenderOption: 'UNFORMATTED_VALUE' } });
    const [titles = [], ...rows] = rowsOf(member(body, 'values'));
    const known = positionOf(cursor);
    const from = known === null ? rows.length : firstNew(rows, known);
    const items = rows.slice(from, from + limit).flatMap((row, n) => itemOf(titles, row, from + n));
    const to = Math.min(rows.length, from + limit);
    const next: JsonObject = { rows: to, last: hashOf(rows[to - 1] ?? []) };
    return { kind: 'items', items, cursor: next, more: to < rows.length };
  },
};

const rowsOf = (values: Json | undefined): Json[][] =>
  Array.isArray(values) ? values.map((row) => (Array.isArray(row) ? row : [])) : [];

function positionOf(cursor: Json): Position | null {
  if (!isObject(cursor) || typeof cursor.rows !== 'number' || typeof cursor.last !== 'string') return null;
  return { rows: cursor.rows, last: cursor.last };
}

/** The first row after the last known one: at its place, or where it has moved to. */
function firstNew(rows: readonly Json[][], { rows: count, last }: Position): number {
  if (count === 0) return 0;
  const isLast = (row: Json[] | undefined): boolean => row !== undefined && hashOf(row) === last;
  if (isLast(rows[count - 1])) return count;
  const moved = rows.findLastIndex(isLast);
  return moved === -1 ? Math.min(count, rows.length) : moved + 1;
}

/** Nothing for an empty row. */
function itemOf(titles: readonly Json[], row: readonly Json[], index: number): PollItem[] {
  if (row.every((value) => value === '')) return [];
  const named: JsonObject = {};
  for (const [n, value] of row.entries()) setOwn(named, String(titles[n] ?? '') || `column_${n + 1}`, value);
  // Counted from 1, below the row with the names.
  const number = index + 2;
  const trigger = { row: named, values: [...row], row_number: number };
  return [{ id: `${number} ${hashOf(row)}`, trigger }];
}

const hashOf = (row: readonly Json[]): string =>
  createHash('sha256').update(JSON.stringify(row)).digest('base64url').slice(0, 22);
