import type { Chunk, ChunkingOptions } from '../contract';
import type { Source, Span } from '../source';
import { linesOf, type TextRange, sentences } from './borders';
import { Packer, type Unit } from './packer';
import { countTokens } from './tokens';

export { countTokens } from './tokens';

/** Maximum characters of a heading in a chunk's path, and maximum headings: longer ones are not headings. */
const PATH_CHARACTERS = 200;
const MAX_HEADING_DEPTH = 9;

/**
 * Cuts a document into chunks of at most `maxTokens` (see tokens). A heading begins a chunk; code and the rows of tables
 * stay whole where they fit; else paragraphs are cut between sentences, and those between words. Prose that is cut is
 * repeated by `overlapTokens`, at most half a chunk, and a table's header is. The same text always gives the same chunks, in a time that is
 * linear in its length.
 * @throws ParseError `too_large` when there are more than `maxChunks`
 */
export function chunkSource({ text, spans }: Source, chunking: ChunkingOptions, maxChunks: number): readonly Chunk[] {
  const packer = new Packer(text, chunking, maxChunks);
  const half = chunking.maxTokens / 2;
  const path: { readonly level: number; readonly title: string }[] = [];
  for (const span of spans) {
    const whole = wholeUnit(text, span);
    if (span.kind === 'heading') {
      if (packer.filled) packer.close();
      while ((path.at(-1)?.level ?? 0) >= span.level) path.pop();
      if (path.length < MAX_HEADING_DEPTH) path.push({ level: span.level, title: titleOf(text, span) });
      packer.setPath(path.map(({ title }) => title));
      packer.addHeading(whole);
      continue;
    }
    // A chunk of two pages is cited by the first of them alone.
    if (span.page !== packer.page && packer.filled && packer.filledTokens >= half) packer.close();
    place(packer, text, span, whole, chunking.maxTokens);
  }
  packer.close();
  return packer.chunks;
}

function place(packer: Packer, text: string, span: Span, whole: Unit, max: number): void {
  if (packer.fits(whole)) return packer.add(whole);
  const keepWhole = span.kind === 'code' || span.kind === 'table' || packer.filledTokens >= max / 2;
  if (whole.tokens <= max && keepWhole) {
    packer.next(whole);
    return packer.add(whole);
  }
  for (const unit of unitsOf(text, span, whole, max)) {
    if (unit.tokens <= max) packer.add(unit);
    else packer.addCut(unit);
  }
}

const titleOf = (text: string, { start, end }: TextRange): string =>
  text
    .slice(start, Math.min(end, start + PATH_CHARACTERS))
    .replace(/^#+\s+/, '')
    .replace(/\n *(?:=+|-+)\s*$|\s#+\s*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\p{Surrogate}/gu, '');

function wholeUnit(text: string, span: Span): Unit {
  const { start, end, page, kind } = span;
  const prose = kind === 'paragraph' || kind === 'list';
  return { start, end, page, prose, tokens: countTokens(text, start, end), header: null };
}

/** The units of a block that is too large for a chunk; a unit may still be too large. */
function* unitsOf(text: string, span: Span, whole: Unit, max: number): Generator<Unit> {
  const unit = ({ start, end }: TextRange, header: string | null = null): Unit => ({
    ...whole,
    start,
    end,
    tokens: countTokens(text, start, end),
    header,
  });
  if (span.kind === 'table') return yield* rowsOf(text, span, unit, max);
  if (span.kind === 'paragraph') for (const part of sentences(text, span.start, span.end, false)) yield unit(part);
  else for (const part of linesOf(text, span.start, span.end)) yield unit(part);
}

/** Rows, each with the header in front where a chunk begins with it; the header itself stays with the first row. */
function* rowsOf(
  text: string,
  span: Span & { readonly kind: 'table' },
  unit: (part: TextRange, header?: string | null) => Unit,
  max: number,
): Generator<Unit> {
  const { header } = span;
  let head: TextRange | null =
    header !== null && text.startsWith(header, span.start)
      ? { start: span.start, end: span.start + header.length }
      : null;
  for (const row of linesOf(text, head?.end ?? span.start, span.end)) {
    if (head === null) {
      yield unit(row, header);
      continue;
    }
    const both = unit({ start: head.start, end: row.end });
    if (both.tokens <= max) yield both;
    else yield* [unit(head), unit(row, header)];
    head = null;
  }
  if (head !== null) yield unit(head);
}
