import { Blocks } from '../../blocks';
import { ParseError } from '../../fault';
import { MAX_PAGES } from '../../limits';
import type { ReadFile } from '../../source';
import { blocksOfPages } from './layout';
import { linesOf, type Line } from './lines';

/** Ranges that are shown. */
const MAX_RANGES = 20;

/** Ascending numbers in few words: `1, 3-5`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return shown.join(', ') + (ranges.length > MAX_RANGES ? ', …' : '');
}

/** Options of pdf.js: extract text only, and fetch nothing. */
const OPTIONS = {
  isEvalSupported: false,
  disableFontFace: true,
  useSystemFonts: false,
  enableXfa: false,
  stopAtErrors: false,
  isImageDecoderSupported: false,
  isOffscreenCanvasSupported: false,
  verbosity: 0,
} as const;

/** Default titles written by programs. */
const NO_TITLE = /^(?:untitled|microsoft \w+ - |document\d*$|.*\.(?:docx?|indd|tex|dvi|qxd)$)/i;

/** Reads a PDF: joins lines into paragraphs, and detects headings by font size. @throws ParseError */
export async function readPdf(content: Uint8Array, maxCharacters: number): Promise<ReadFile> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(content, OPTIONS).catch((fault: unknown) => {
    throw faultOf(fault);
  });
  try {
    return await read(document, maxCharacters);
  } finally {
    await document.destroy();
  }
}

type Pdf = Awaited<ReturnType<typeof import('unpdf').getDocumentProxy>>;

async function read(document: Pdf, maxCharacters: number): Promise<ReadFile> {
  const { numPages } = document;
  if (numPages > MAX_PAGES)
    throw new ParseError('too_large', `The PDF has more than ${MAX_PAGES} pages. Split it into several.`);
  const pages: Line[][] = [];
  const empty: number[] = [];
  const broken: number[] = [];
  let characters = 0;
  for (let number = 1; number <= numPages; number++) {
    const lines = await pageLines(document, number);
    pages.push(lines ?? []);
    if (lines === null) broken.push(number);
    else if (lines.length === 0) empty.push(number);
    for (const line of lines ?? []) characters += line.text.length;
    if (characters > maxCharacters)
      throw new ParseError('too_large', `The PDF has more than ${maxCharacters} characters of text. Split it.`);
  }
  const blocks = new Blocks(maxCharacters);
  blocks.addAll(blocksOfPages(pages));
  if (blocks.empty && broken.length === numPages)
    throw new ParseError('broken_file', 'The PDF is damaged: none of its pages can be read.');
  return {
    source: blocks.source(),
    title: await titleOf(document),
    pages: numPages,
    warnings: warningsOf(empty, broken),
  };
}

/** The lines of a page; null if it is damaged. Frees the page afterwards, to bound the memory for many pages. */
async function pageLines(document: Pdf, number: number): Promise<Line[] | null> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: false });
    page.cleanup();
    return linesOf(items.flatMap((item) => ('str' in item ? [item] : [])));
  } catch (fault) {
    // Out of memory ends the document; other errors concern only this page.
    if (fault instanceof RangeError || fault instanceof ParseError) throw fault;
    return null;
  }
}

async function titleOf(document: Pdf): Promise<string | null> {
  // Properties that are damaged are none.
  const { info } = await document.getMetadata().catch(() => ({ info: {} as object }));
  const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.replaceAll(/\s+/g, ' ').trim() : '';
  return title === '' || NO_TITLE.test(title.slice(0, 300)) ? null : title.slice(0, 300);
}

function warningsOf(empty: readonly number[], broken: readonly number[]): string[] {
  const warnings: string[] = [];
  if (empty.length > 0) warnings.push(`Pages without text, perhaps scanned: ${rangesOf(empty)}`);
  if (broken.length > 0) warnings.push(`Pages that are damaged and were left out: ${rangesOf(broken)}`);
  return warnings;
}

function faultOf(fault: unknown): unknown {
  const name = fault instanceof Error ? fault.name : '';
  if (name === 'PasswordException')
    return new ParseError('encrypted', 'The PDF is protected by a password. Save it without one.');
  if (fault instanceof RangeError) return fault;
  return new ParseError('broken_file', 'The PDF is damaged. Save or print it as a PDF again.');
}
