import { CsvError } from 'csv-parse/sync';
import { parseCsv } from '../../csv';
import { Blocks } from '../blocks';
import { MAX_CELLS } from '../limits';
import { ParseError } from '../fault';
import type { ReadFile } from '../source';
import { tableBlock } from '../table';

const DELIMITERS = [',', ';', '\t', '|'];
/** Number of characters used to detect the delimiter. */
const SAMPLE = 16_384;

/** A table of separated values (RFC 4180), its first row the header. The delimiter is the one that most lines agree on. */
export function readCsv(text: string, maxCharacters: number): ReadFile {
  const blocks = new Blocks(maxCharacters);
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
  const count = mayHaveTooManyCells(text, delimiter) ? cellCounter : () => undefined;
  try {
    return parseCsv(text, { delimiter, quote: '"' }, count());
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    // A quote that is never closed: all of them are characters.
    return parseCsv(text, { delimiter, quote: null }, count());
  }
}

/** False where the text has too few delimiters and lines for it: most tables need no counting. */
function mayHaveTooManyCells(text: string, delimiter: string): boolean {
  let cells = 0;
  for (const separator of [delimiter, '\n'])
    for (let at = text.indexOf(separator); at !== -1 && cells < MAX_CELLS; at = text.indexOf(separator, at + 1))
      cells++;
  return cells >= MAX_CELLS;
}

/** Ends the work at the row that has too many. */
function cellCounter(): (row: readonly string[]) => void {
  let cells = 0;
  return (row) => {
    cells += row.length;
    if (cells > MAX_CELLS)
      throw new ParseError('too_large', `The table has more than ${MAX_CELLS} cells. Split it into several.`);
  };
}
