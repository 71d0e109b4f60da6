/** Colours that lines may have. */
type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

const CODES: Readonly<Record<Colour, string>> = { green: '32', red: '31', yellow: '33', dim: '2', bold: '1' };

/** Text in a colour; it is escaped like any other. */
export interface Painted {
  readonly text: string;
  readonly colour: Colour;
}

/** A part of a line. */
type Part = string | number | Painted;

export const paint = (colour: Colour, text: string): Painted => ({ text, colour });

/**
 * Escapes untrusted text for a terminal: control characters, including those of escape sequences (ECMA-48) in both
 * forms, and characters that change the text direction are shown as codes.
 */
export const harmless = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (mark) => {
    const code = mark.charCodeAt(0);
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });

/** JSON on one line, without terminal control characters. */
export const jsonLine = (value: unknown): string => harmlessJson(JSON.stringify(value));

/** Escapes control characters that `JSON.stringify` leaves in strings. */
export const harmlessJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** An output stream: escaped lines, in colour if supported. */
export class Terminal {
  #status = '';

  constructor(
    private readonly write: (text: string) => void,
    /** Whether colours and a progress line are used: a terminal, without NO_COLOR. */
    private readonly look: { readonly colours: boolean; readonly live: boolean },
  ) {}

  /** Whether the output is a terminal. */
  get isLive(): boolean {
    return this.look.live;
  }

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

  /** Writes text unchanged: files for programs. */
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

  /** The progress line below the output; empty removes it. Only on a terminal. */
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
