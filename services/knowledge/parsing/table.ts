import type { Block } from './contract';

/** Columns that are shown of a table. A wider one is no table that anybody reads. */
export const MOST_COLUMNS = 256;

/** A table in Markdown of rows of cells, the first of which is the header; null when nothing is in them. */
export function tableBlock(rows: readonly (readonly string[])[], page: number | null): Block | null {
  const filled = rows
    .map((row) => row.slice(0, MOST_COLUMNS).map(cellText))
    .filter((row) => row.some((cell) => cell !== ''));
  const [first, ...others] = filled;
  if (first === undefined) return null;
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 1) return { kind: 'list', page, text: filled.map(([cell]) => cell).join('\n') };
  const header = `${line(padded(first, columns))}\n${line(new Array<string>(columns).fill('---'))}`;
  return { kind: 'table', page, header, text: [header, ...others.map(line)].join('\n') };
}

/** Rows may be shorter than the header, which is as Markdown has it; a header names each column. */
const padded = (cells: readonly string[], columns: number): string[] =>
  Array.from({ length: columns }, (_, index) => cells[index] ?? '');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const cellText = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
