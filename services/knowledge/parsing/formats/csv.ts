import { Blocks } from '../blocks';
import { MOST_CELLS } from '../limits';
import { ParseError } from '../fault';
import type { ReadFile } from '../source';
import { tableBlock } from '../table';

const DELIMITERS = [',', ';', '\t', '|'];
/** Characters by which the delimiter is chosen. */
const SAMPLE = 16_384;

/** A table of separated values (RFC 4180), its first row the header. The delimiter is the one that most lines agree on. */
export function readCsv(text: string, mostCharacters: number): ReadFile {
  const blocks = new Blocks(mostCharacters);
  const table = tableBlock(rowsOf(text, delimiterOf(text)), null);
  if (table !== null) blocks.add(table);
  return { source: blocks.source(), title: null, pages: null, warnings: [] };
}

/** The delimiter that occurs in most lines as often as in the first. */
function delimiterOf(text: string): string {
  const [first = '', ...others] = text
    .slice(0, SAMPLE)
    .replaceAll(/"[^"]*"/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const score = (delimiter: string): number => {
    const columns = first.split(delimiter).length;
    if (columns === 1) return 0;
    return columns + 100 * others.filter((line) => line.split(delimiter).length === columns).length;
  };
  return DELIMITERS.reduce((best, one) => (score(one) > score(best) ? one : best));
}

function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  const endCell = (value: string): void => {
    if (++cells > MOST_CELLS)
      throw new ParseError('too_large', `The table has more than ${MOST_CELLS} cells. Split it into several.`);
    row.push(value);
  };
  for (let at = 0; at <= text.length; ) {
    const { value, end } = text.charAt(at) === '"' ? quotedCell(text, at, delimiter) : plainCell(text, at, delimiter);
    endCell(value);
    if (text.charAt(end) !== delimiter) {
      rows.push(row);
      row = [];
    }
    at = end + 1;
  }
  return rows;
}

interface Cell {
  readonly value: string;
  /** Where the delimiter, or the end of the line, is. */
  readonly end: number;
}

function plainCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  while (end < text.length && text.charAt(end) !== delimiter && text.charAt(end) !== '\n') end += 1;
  return { value: text.slice(start, end), end };
}

/** Between quotes, of which two are one. What stands after the second, up to the delimiter, is taken along. */
function quotedCell(text: string, start: number, delimiter: string): Cell {
  let close = text.indexOf('"', start + 1);
  while (close >= 0 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
  if (close < 0) return plainCell(text, start, delimiter);
  const rest = plainCell(text, close + 1, delimiter);
  return { value: text.slice(start + 1, close).replaceAll('""', '"') + rest.value, end: rest.end };
}
