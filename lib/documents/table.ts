import type { Block } from './contract';

/** Maximum columns of a table; further ones are dropped. */
export const MAX_COLUMNS = 256;

/** Formats rows as a Markdown table whose first row is the header; null when all cells are empty. */
export function tableBlock(rows: readonly (readonly string[])[], page: number | null): Block | null {
  const filled = rows
    .map((row) => row.slice(0, MAX_COLUMNS).map(cellText))
    .filter((row) => row.some((cell) => cell !== ''));
  const [first, ...others] = filled;
  if (first === undefined) return null;
  const columns = filled.reduce((max, row) => Math.max(max, row.length), 0);
  if (columns === 1) return { kind: 'list', page, text: filled.map(([cell]) => cell).join('\n') };
  const header = `${line(padded(first, columns))}\n${line(new Array<string>(columns).fill('---'))}`;
  return { kind: 'table', page, header, text: [header, ...others.map(line)].join('\n') };
}

/** Pads the header to all columns, as Markdown requires; other rows may be shorter. */
const padded = (cells: readonly string[], columns: number): string[] =>
  Array.from({ length: columns }, (_, index) => cells[index] ?? '');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const cellText = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
