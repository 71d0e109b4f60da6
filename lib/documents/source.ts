import type { Block } from './contract';

/** Position of a block in the plain text, without surrounding white space. */
export type Span = { readonly start: number; readonly end: number; readonly page: number | null } & (
  | { readonly kind: 'heading'; readonly level: number }
  | { readonly kind: 'paragraph' | 'list' | 'code' }
  | { readonly kind: 'table'; readonly header: string | null }
);

/** A document's plain text with its blocks in order, separated by white space only. */
export interface Source {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** The result of reading a file. */
export interface ReadFile {
  readonly source: Source;
  readonly title: string | null;
  readonly pages: number | null;
  readonly warnings: readonly string[];
}

const BETWEEN = '\n\n';

/** Joins blocks into a text, with empty lines between. Blocks are trimmed; empty ones are skipped. */
export function joinBlocks(blocks: readonly Block[]): Source {
  const texts: string[] = [];
  const spans: Span[] = [];
  let at = 0;
  for (const block of blocks) {
    // Leading spaces of code are significant.
    const text = block.kind === 'code' ? block.text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd() : block.text.trim();
    if (text.trim() === '') continue;
    texts.push(text);
    spans.push(spanOf(block, at, at + text.length));
    at += text.length + BETWEEN.length;
  }
  return { text: texts.join(BETWEEN), spans };
}

function spanOf(block: Block, start: number, end: number): Span {
  const place = { start, end, page: block.page };
  if (block.kind === 'heading') return { ...place, kind: 'heading', level: block.level };
  if (block.kind === 'table') return { ...place, kind: 'table', header: block.header };
  return { ...place, kind: block.kind };
}
