import type { HtmlElement } from '../html/tree';
import { linesOf } from './inline';

/** A table whose first row is its head; null for one with fewer than two columns, which is there for layout. */
export function tableMarkdown(table: HtmlElement): string | null {
  const rows = rowsOf(table).map((row) => cellsOf(row).map(cellText));
  const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const [head, ...body] = rows;
  if (head === undefined || width < 2) return null;
  const wide = [...head, ...Array<string>(width - head.length).fill('')];
  return [wide, Array<string>(width).fill('---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Rows of this table, not of tables inside it. */
const rowsOf = (element: HtmlElement): HtmlElement[] =>
  element.children.flatMap((child) => {
    if (child.kind === 'text' || child.name === 'table') return [];
    return child.name === 'tr' ? [child] : rowsOf(child);
  });

const cellsOf = (row: HtmlElement): HtmlElement[] =>
  row.children.filter(
    (child) => child.kind === 'element' && (child.name === 'td' || child.name === 'th'),
  ) as HtmlElement[];

const cellText = (cell: HtmlElement): string => linesOf(cell.children).join(' ').replaceAll('|', '\\|');
