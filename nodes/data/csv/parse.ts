import { Refusal } from '../computed';

/** How cells are told apart. Both are single characters. */
export interface Dialect {
  readonly delimiter: string;
  readonly quote: string;
}

/** One line of cells, with the number of the text's line on which it begins. */
export interface Row {
  readonly line: number;
  readonly cells: string[];
}

/**
 * Reads delimited text as RFC 4180 says: a cell in quotes may hold delimiters, line breaks and doubled quotes; a quote
 * inside a cell without quotes is a character. Lines end in LF, CR LF or CR; the last one need not end.
 * Blank lines and a leading byte-order mark are not read. @throws Refusal `invalid_csv`
 */
export function parseCsv(text: string, dialect: Dialect): Row[] {
  return new Reader(text, dialect).rows();
}

/** Walks the text once, cell by cell. */
class Reader {
  private at: number;
  private line = 1;
  /** Finds the end of a cell without quotes. */
  private readonly end: RegExp;

  constructor(
    private readonly text: string,
    private readonly dialect: Dialect,
  ) {
    this.at = text.startsWith('\ufeff') ? 1 : 0;
    this.end = new RegExp(`[\\r\\n${dialect.delimiter.replace(/[\]\\^-]/, '\\$&')}]`, 'g');
  }

  rows(): Row[] {
    const rows: Row[] = [];
    while (this.at < this.text.length) {
      if (this.atBreak()) {
        this.endOfLine();
        continue;
      }
      const line = this.line;
      const cells = [this.cell()];
      while (this.text[this.at] === this.dialect.delimiter) {
        this.at++;
        cells.push(this.cell());
      }
      this.endOfLine();
      rows.push({ line, cells });
    }
    return rows;
  }

  private cell(): string {
    if (this.text[this.at] === this.dialect.quote) return this.quoted();
    this.end.lastIndex = this.at;
    const end = this.end.exec(this.text)?.index ?? this.text.length;
    const cell = this.text.slice(this.at, end);
    this.at = end;
    return cell;
  }

  private quoted(): string {
    const { quote, delimiter } = this.dialect;
    const opened = this.line;
    let cell = '';
    let from = this.at + 1;
    for (;;) {
      const close = this.text.indexOf(quote, from);
      if (close === -1) throw new Refusal('invalid_csv', `the quote that opens on line ${opened} is never closed`);
      cell += this.text.slice(from, close);
      from = close + 1;
      if (this.text[from] !== quote) break;
      cell += quote;
      from++;
    }
    this.line += breaksIn(cell);
    this.at = from;
    if (from >= this.text.length || this.text[from] === delimiter || this.atBreak()) return cell;
    throw new Refusal('invalid_csv', `after the closing quote on line ${this.line} neither cell nor line ends`);
  }

  private atBreak(): boolean {
    return this.text[this.at] === '\n' || this.text[this.at] === '\r';
  }

  private endOfLine(): void {
    if (this.at >= this.text.length) return;
    this.at += this.text.startsWith('\r\n', this.at) ? 2 : 1;
    this.line++;
  }
}

const breaksIn = (cell: string): number => cell.match(/\r\n|\r|\n/g)?.length ?? 0;
