import { OTHER, type Resident, type Row } from './rounds';
import type { StoreRow } from './store';

/** A Markdown table; numbers stand on the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (/^[\d.]+( %)?$/.test(String(rows[0]?.[column])) ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
const hundredth = (value: number): number => Math.round(value * 100) / 100;

/** The first row is the baseline. Rows of another build are compared with those of this one at the same point. */
export function serverTable(rows: readonly Row[]): string {
  const baseline = rows[0]?.perSecond ?? Number.NaN;
  const other = (row: Row): Row | undefined =>
    rows.find(({ name, connections }) => name === `${OTHER}${row.name}` && connections === row.connections);
  const percent = (part: number, whole: number | undefined): string =>
    whole === undefined ? '' : `${tenth((100 * part) / whole)} %`;
  return table(
    [
      '',
      'connections',
      'per second',
      'of baseline',
      'of other',
      'p50 ms',
      'p99 ms',
      'CPU ms each',
      'of other',
      'RSS MiB, first to last',
    ],
    rows.map((row) => [
      row.name,
      row.connections,
      Math.round(row.perSecond),
      percent(row.perSecond, baseline),
      percent(row.perSecond, other(row)?.perSecond),
      tenth(row.p50),
      tenth(row.p99),
      hundredth(row.cpuMs),
      percent(row.cpuMs, other(row)?.cpuMs),
      `${row.rssBefore} to ${row.rssAfter}`,
    ]),
  );
}

export const syncTable = ({ p50, p99 }: { p50: number; p99: number }): string =>
  table(['', 'p50 ms', 'p99 ms'], [['4 KiB appended and fdatasync', hundredth(p50), hundredth(p99)]]);

export const soakTable = (seen: readonly Resident[]): string =>
  table(
    ['runs', 'RSS MiB'],
    seen.map(({ runs, rss }) => [runs, rss]),
  );

export const storeTable = (rows: readonly StoreRow[]): string =>
  table(
    ['embedded store', 'operations', 'per second', 'CPU µs each'],
    rows.map((row) => [row.operation, row.count, row.perSecond, row.cpuMicros]),
  );
