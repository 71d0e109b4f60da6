import { CsvError } from 'csv-parse/sync';
import { tick } from '../../../lib/compute/time-slice';
import { type Dialect, lineOfRow, parseCsv } from '../../../lib/csv';
import { Refusal } from '../computed';

/** Operations of parsing one character, at most. */
const OPERATIONS_PER_CHAR = 4;

export interface Rows {
  readonly cells: string[][];
  /** The line of the text on which a row begins, for messages: it costs as much as reading the text again. */
  lineOf(index: number): number;
}

/** @throws Refusal `invalid_csv` */
export function parseRows(text: string, dialect: Dialect): Rows {
  tick(text.length * OPERATIONS_PER_CHAR);
  try {
    return { cells: parseCsv(text, dialect), lineOf: (index) => lineOfRow(text, dialect, index) };
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    throw new Refusal('invalid_csv', `the quote that opens on line ${String(fault.lines)} is never closed`);
  }
}
