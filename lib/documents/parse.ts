import { chunkSource } from './chunking';
import type { ParseRequest, ParseResult } from './contract';
import { ParseError } from './fault';
import { readCsv } from './formats/csv';
import { readEpub } from './formats/epub';
import { readHtml } from './formats/html';
import { looksLikeJson, readJson } from './formats/json';
import { readMarkdown } from './formats/markdown';
import { readSheets } from './formats/office/sheets';
import { readSlides } from './formats/office/slides';
import { readPdf } from './formats/pdf';
import { CONTENT_TYPES, type FileKind, fileKind, type TextKind } from './kind';
import type { ParseLimits } from './limits';
import type { ReadFile } from './source';
import { cleanText, decodeText } from './text';
import type { Archive } from './archive';
import { Blocks } from './blocks';
import { readXml } from './xml';
import { relatedTo, titleOf } from './formats/office/package';
import { headingStyles } from './formats/office/word-styles';
import { WordBody } from './formats/office/word-body';

/** A document of Word: its body, then its notes. */
function readWord(archive: Archive, main: string, maxCharacters: number): ReadFile {
  const related = relatedTo(archive, main);
  const styles = related.find(({ type }) => type === 'styles');
  const headings = headingStyles(styles === undefined ? null : archive.find(styles.name));
  const blocks = new Blocks(maxCharacters);
  const read = (part: string): void => {
    const body = new WordBody(headings, blocks);
    readXml(archive.get(part), body);
    body.end();
  };
  read(main);
  for (const { type, name } of related)
    if ((type === 'footnotes' || type === 'endnotes') && archive.has(name)) read(name);
  return { source: blocks.source(), title: titleOf(archive), pages: null, warnings: [] };
}

/** Limits of the result. */
export type ParseBounds = Pick<ParseLimits, 'characters' | 'chunks'>;

/** Parses and chunks a file. Faults of the file become a result. Runs in its own thread. */
export async function parseFile(
  request: ParseRequest,
  bounds: ParseBounds,
  onStage: (stage: 'chunking') => void,
): Promise<ParseResult> {
  try {
    if (request.content.length === 0) throw new ParseError('no_text', 'The file is empty.');
    const { kind, file } = request.sentAsText === true ? sentText(request.content) : await readFile(request, bounds);
    const { source, title, pages, warnings } = file;
    if (source.text.length > bounds.characters) throw tooMuchText(bounds.characters);
    onStage('chunking');
    const chunks = chunkSource(source, request.chunking, bounds.chunks);
    if (chunks.length === 0) throw noText(kind);
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    return {
      kind: 'parsed',
      title: title === null ? null : cleanText(title),
      contentType: CONTENT_TYPES[kind],
      pages,
      chunks,
      tokens,
      warnings,
    };
  } catch (fault) {
    return failureOf(fault);
  }
}

interface RecognisedFile {
  readonly kind: FileKind['kind'];
  readonly file: ReadFile;
}

const sentText = (content: Uint8Array): RecognisedFile => ({
  kind: 'text',
  file: readMarkdown(cleanText(Buffer.from(content).toString()), 'markdown'),
});

async function readFile(request: ParseRequest, { characters: max }: ParseBounds): Promise<RecognisedFile> {
  const found = fileKind(request.content, request);
  const { kind } = found;
  switch (kind) {
    case 'pdf':
      return { kind, file: await readPdf(request.content, max) };
    case 'epub':
      return { kind, file: readEpub(found.archive, max) };
    case 'docx':
      return { kind, file: readWord(found.archive, found.main, max) };
    case 'pptx':
      return { kind, file: readSlides(found.archive, found.main, max) };
    case 'xlsx':
      return { kind, file: readSheets(found.archive, found.main, max) };
    default:
      return readText(kind, request, max);
  }
}

/** Maximum ratio of markup to text, for HTML and JSON. */
const MARKED_UP = 6;

function readText(claimed: TextKind, { content, contentType, url }: ParseRequest, max: number): RecognisedFile {
  const charset = /charset\s*=\s*"?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1] ?? null;
  const { text, guessed } = decodeText(content, charset);
  const kind = claimed === 'text' ? textKind(text) : claimed;
  // Checked before parsing: marked-up files may hold much around their text, plain text nothing.
  const longest = kind === 'text' || kind === 'markdown' ? max : max * MARKED_UP;
  if (text.length > longest) throw tooMuchText(max);
  const file = readers[kind](text, max, url);
  if (guessed === null) return { kind, file };
  const warning = `The file is not UTF-8 and was read as ${guessed}. Check that its characters are right.`;
  return { kind, file: { ...file, warnings: [...file.warnings, warning] } };
}

const readers: Readonly<Record<TextKind, (text: string, max: number, url: string | null) => ReadFile>> = {
  html: (text, max, url) => readHtml(text, url, max),
  markdown: (text) => readMarkdown(text, 'markdown'),
  csv: readCsv,
  json: readJson,
  text: (text) => readMarkdown(text, 'none'),
};

/** Text without a declared type may be HTML or JSON. */
function textKind(text: string): TextKind {
  if (/^\s*(?:<!--[^>]{0,500}-->\s*)?(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 2_000))) return 'html';
  return looksLikeJson(text) ? 'json' : 'text';
}

const tooMuchText = (max: number): ParseError =>
  new ParseError('too_large', `The document has more than ${max} characters of text. Split it into several.`);

const noText = (kind: FileKind['kind']): ParseError =>
  new ParseError(
    'no_text',
    kind === 'pdf'
      ? 'The PDF has no text: it may be scanned. Run text recognition (OCR) first, then upload it again.'
      : 'The file has no text.',
  );

/** Errors of a parser are the file's faults, even unexpected ones. */
function failureOf(fault: unknown): ParseResult {
  if (fault instanceof ParseError) return { kind: 'failed', code: fault.code, message: fault.message };
  if (fault instanceof RangeError)
    return {
      kind: 'failed',
      code: 'too_complex',
      message: 'The file exceeds the memory limit of a file. Split it, or save it in a simpler form.',
    };
  const why = fault instanceof Error ? fault.message : String(fault);
  return { kind: 'failed', code: 'broken_file', message: `The file cannot be read: ${why.slice(0, 200)}` };
}
