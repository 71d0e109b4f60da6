import { cleanText } from '../../text';

/** A line of a page. Sizes and places in points; `y` grows upwards. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** A piece of text as pdf.js gives it, in the order of the page's content. */
interface Piece {
  readonly str: string;
  /** The matrix of the text: its place is in the last two. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Tolerances as shares of the smaller font size: vertical offset on one line, and width of a space. */
const SAME_LINE = 0.5;
const SPACE = 0.2;

/** Joins text pieces of one line. */
export function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Line[] = [];
  let texts: string[] = [];
  let line = { x: 0, y: 0, size: 0, right: 0 };
  const end = (): void => {
    const text = cleanText(texts.join('')).replaceAll(/\s+/g, ' ').trim();
    if (text !== '') lines.push({ text, x: line.x, y: line.y, size: line.size });
    texts = [];
  };
  for (const { str, transform, width, height } of pieces) {
    if (str === '') continue;
    const [, , , , x = 0, y = 0] = transform;
    const size = Math.abs(height) || line.size;
    const sameLine = Math.abs(y - line.y) <= SAME_LINE * Math.min(size, line.size) && x >= line.x;
    if (texts.length > 0 && !sameLine) end();
    if (texts.length === 0) line = { x, y, size, right: x };
    else if (x - line.right > SPACE * size) texts.push(' ');
    texts.push(str);
    line.right = x + width;
    if (str.trim() !== '') line.size = Math.max(line.size, size);
  }
  end();
  return lines;
}
