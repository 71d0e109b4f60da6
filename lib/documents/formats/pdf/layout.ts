import type { Block } from '../../contract';
import type { Line } from './lines';

/** How much larger than most of the text letters of a heading are, and the longest heading. */
const HEADING_SIZE = 1.15;
const MAX_HEADING_CHARACTERS = 200;
const HEADING_LEVELS = 4;

/** A gap between lines that ends a paragraph, in heights of letters. Lines are mostly 1.2 apart, at times 1.5. */
const PARAGRAPH_GAP = 1.8;

/** Lines at the top or bottom of at least this share of pages are headers or footers. */
const REPEATED_SHARE = 0.5;
const REPEATED_LEAST = 3;

/** The blocks of the pages of a document, which have nothing but lines. Pure. */
export function blocksOfPages(pages: readonly (readonly Line[])[]): Block[] {
  const kept = withoutRepeated(pages);
  const sizes = headingSizes(kept.flat());
  return kept.flatMap((lines, index) => pageBlocks(lines, index + 1, sizes));
}

/** Running heads and page numbers: the same but for digits on many pages. */
function withoutRepeated(pages: readonly (readonly Line[])[]): (readonly Line[])[] {
  const ends = pages.map((lines) => new Set([...lines.slice(0, 1), ...lines.slice(-1)].map(shape)));
  const counts = new Map<string, number>();
  for (const shapes of ends) for (const text of shapes) counts.set(text, (counts.get(text) ?? 0) + 1);
  const min = Math.max(REPEATED_LEAST, pages.length * REPEATED_SHARE);
  const repeated = (line: Line): boolean => (counts.get(shape(line)) ?? 0) >= min;
  return pages.map((lines) => lines.filter((line, at) => !((at === 0 || at === lines.length - 1) && repeated(line))));
}

const shape = ({ text }: Line): string => text.slice(0, MAX_HEADING_CHARACTERS).replaceAll(/\d+/g, '0');

/** Sizes of headings, the largest first: those above the size that most of the text is in. */
function headingSizes(lines: readonly Line[]): number[] {
  const characters = new Map<number, number>();
  for (const { text, size } of lines) characters.set(rounded(size), (characters.get(rounded(size)) ?? 0) + text.length);
  let body = 0;
  let max = 0;
  for (const [size, count] of characters) if (count > max) [body, max] = [size, count];
  return [...characters.keys()].filter((size) => size >= body * HEADING_SIZE).sort((a, b) => b - a);
}

const rounded = (size: number): number => Math.round(size * 2) / 2;

function pageBlocks(lines: readonly Line[], page: number, sizes: readonly number[]): Block[] {
  const blocks: Block[] = [];
  let group: Line[] = [];
  const end = (): void => {
    if (group.length > 0) blocks.push(blockOf(group, page, sizes));
    group = [];
  };
  for (const line of lines) {
    const before = group.at(-1);
    if (before !== undefined && !goesOn(before, line)) end();
    group.push(line);
  }
  end();
  return blocks;
}

/** Whether a line continues the previous paragraph. An upward step means another column. */
function goesOn(before: Line, line: Line): boolean {
  if (rounded(before.size) !== rounded(line.size)) return false;
  const step = before.y - line.y;
  return step >= 0 && step <= PARAGRAPH_GAP * Math.max(before.size, 1) && !/^[•▪◦‣●*-]\s/.test(line.text);
}

function blockOf(lines: readonly Line[], page: number, sizes: readonly number[]): Block {
  const [first] = lines as [Line];
  const text = joined(lines);
  const rank = sizes.indexOf(rounded(first.size));
  return rank >= 0 && text.length <= MAX_HEADING_CHARACTERS
    ? { kind: 'heading', page, level: Math.min(rank + 1, HEADING_LEVELS), text }
    : { kind: 'paragraph', page, text };
}

/** Joins lines, and words hyphenated at a line end. */
function joined(lines: readonly Line[]): string {
  const pieces: string[] = [];
  for (const { text } of lines) {
    const last = pieces.at(-1);
    if (last !== undefined && /\p{L}-$/u.test(last.slice(-3)) && /^\p{Ll}/u.test(text)) {
      pieces[pieces.length - 1] = last.slice(0, -1);
      pieces.push(text);
      continue;
    }
    if (last !== undefined) pieces.push(isCjk(last.slice(-1)) && isCjk(text.slice(0, 1)) ? '' : ' ');
    pieces.push(text);
  }
  return pieces.join('');
}

const isCjk = (character: string): boolean => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character);
