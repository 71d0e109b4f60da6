/** Colours that lines may have. */
export type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

const CODES: Readonly<Record<Colour, string>> = { green: '32', red: '31', yellow: '33', dim: '2', bold: '1' };

/** Text in a colour; what it says is made harmless like any other. */
export interface Painted {
  readonly text: string;
  readonly colour: Colour;
}

/** A part of a line. */
export type Part = string | number | Painted;

export const paint = (colour: Colour, text: string): Painted => ({ text, colour });

/**
 * Text of others as a terminal may get it: control characters, among them those that begin escape sequences (ECMA-48)
 * in both their forms, and characters that turn the direction of writing are shown as what they are.
 */
export const harmless = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (mark) => {
    const code = mark.charCodeAt(0);
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });

/** JSON text of one line, without what terminals would act upon. */
export const jsonLine = (value: unknown): string => harmlessJson(JSON.stringify(value));

/** What `JSON.stringify` leaves in a text that terminals would act upon is escaped, which means the same. */
export const harmlessJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** One stream of the terminal: lines of parts, each made harmless, in colour where it shows colours. */
export class Terminal {
  #status = '';

  constructor(
    private readonly write: (text: string) => void,
    /** Whether colours and a line that changes are wanted: a terminal, and no NO_COLOR. */
    private readonly look: { readonly colours: boolean; readonly live: boolean },
  ) {}

  line(...parts: readonly Part[]): void {
    const status = this.#status;
    this.status('');
    this.write(`${parts.map((part) => this.#shown(part)).join('')}\n`);
    this.status(status);
  }

  /** JSON, one value a line. */
  json(value: unknown): void {
    this.write(`${jsonLine(value)}\n`);
  }

  /** Text that is written as it is: files, which are to be read by programs. */
  raw(text: string): void {
    this.write(text);
  }

  /** Rows under a heading, in columns. */
  table(heading: readonly string[], rows: readonly (readonly Part[])[]): void {
    const all = [heading.map((text) => paint('dim', text)), ...rows];
    const widths = heading.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
    for (const row of all) {
      const cells = row.flatMap((part, column) =>
        column === row.length - 1 ? [part] : [part, ' '.repeat((widths[column] ?? 0) - widthOf(part) + 2)],
      );
      this.line(...cells);
    }
  }

  /** The line below all others that tells how far it is; empty removes it. Only where it can be changed again. */
  status(text: string): void {
    if (!this.look.live || (text === '' && this.#status === '')) return;
    this.#status = text;
    // CR, then "erase in line" (ECMA-48 EL).
    this.write(`\r\u001b[K${harmless(text).slice(0, 100)}`);
  }

  #shown(part: Part): string {
    if (typeof part !== 'object') return harmless(String(part));
    return this.look.colours ? `\u001b[${CODES[part.colour]}m${harmless(part.text)}\u001b[0m` : harmless(part.text);
  }
}

const widthOf = (part: Part): number => [...harmless(typeof part === 'object' ? part.text : String(part))].length;
