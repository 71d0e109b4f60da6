import type { ReadFile, Source, Span } from '../source';

/** A line of a text, without its end. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Line syntax of Markdown, and of plain text, in which only empty lines separate blocks. */
type Markup = 'markdown' | 'none';

/** Plain text or Markdown. The text is the file's own; blocks are found by their markup. */
export function readMarkdown(text: string, markup: Markup): ReadFile {
  const body = markup === 'markdown' ? afterFrontMatter(text) : 0;
  const source: Source = { text, spans: [...spansOf(linesOf(text, body), markup)] };
  const first = source.spans.find((span) => span.kind === 'heading');
  const title = first === undefined ? null : headingText(text.slice(first.start, first.end));
  return { source, title, pages: null, warnings: [] };
}

/** Where the text begins that follows front matter in YAML. That is about the document, and not of it. */
function afterFrontMatter(text: string): number {
  if (!/^---[^\S\n]*\n/.test(text)) return 0;
  const end = /\n(?:---|\.\.\.)[^\S\n]*(?:\n|$)/.exec(text.slice(0, 16_384));
  return end === null ? 0 : end.index + end[0].length;
}

function* linesOf(text: string, from: number): Generator<Line> {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield { start, end, text: text.slice(start, end) };
    start = end + 1;
  }
}

type Kind = 'paragraph' | 'list' | 'code' | 'table';

/** A block of which more lines may come. */
interface OpenBlock {
  readonly kind: Kind;
  readonly lines: Line[];
  /** Of fenced code: what ends it. */
  readonly fence: string | null;
}

function* spansOf(lines: Iterable<Line>, markup: Markup): Generator<Span> {
  let open: OpenBlock | null = null;
  for (const line of lines) {
    if (open !== null && open.fence !== null) {
      open.lines.push(line);
      if (!endsFence(line.text, open.fence)) continue;
      yield* ended(open);
      open = null;
      continue;
    }
    const kind = kindOf(line.text, markup, open);
    if (kind === 'underline' && open !== null) {
      yield { ...place([...open.lines, line]), kind: 'heading', level: line.text.trim().startsWith('=') ? 1 : 2 };
      open = null;
      continue;
    }
    if (open !== null && kind !== open.kind) {
      yield* ended(open);
      open = null;
    }
    if (kind === 'heading') yield { ...place([line]), kind, level: levelOf(line.text) };
    else if (kind !== 'blank' && kind !== 'underline') open = withLine(open, kind, line);
  }
  if (open !== null) yield* ended(open);
}

const levelOf = (heading: string): number => /^\s*(#+)/.exec(heading)?.[1]?.length ?? 1;

function withLine(open: OpenBlock | null, kind: Kind, line: Line): OpenBlock {
  if (open === null)
    return { kind, lines: [line], fence: kind === 'code' ? (FENCE.exec(line.text)?.[1] ?? null) : null };
  open.lines.push(line);
  return open;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const LIST = /^\s{0,12}(?:[-*+]|\d{1,9}[.)])\s/;
const RULE = /^ {0,3}(?:-+|=+)\s*$/;
/** How much of a line is looked at: a longer one is a paragraph. */
const LOOKED_AT = 1_000;

function kindOf(whole: string, markup: Markup, open: OpenBlock | null): Kind | 'blank' | 'heading' | 'underline' {
  const text = whole.slice(0, LOOKED_AT);
  if (text.trim() === '' && whole.trim() === '') return 'blank';
  if (markup === 'none') return 'paragraph';
  if (FENCE.test(text)) return 'code';
  if (HEADING.test(text)) return 'heading';
  // Continuation lines of an item may be indented or not.
  if (LIST.test(text) || (open?.kind === 'list' && !text.startsWith('|'))) return 'list';
  if (text.trimStart().startsWith('|')) return 'table';
  if (open?.kind === 'paragraph' && open.lines.length === 1 && RULE.test(text)) return 'underline';
  return 'paragraph';
}

const endsFence = (text: string, fence: string): boolean => {
  const line = text.trim();
  return line.startsWith(fence) && line.length < LOOKED_AT && /^(`+|~+)$/.test(line);
};

function* ended({ kind, lines }: OpenBlock): Generator<Span> {
  const span = place(lines);
  if (kind !== 'table') return yield { ...span, kind };
  const [first, second] = lines;
  const headed = first !== undefined && second !== undefined && /^[\s|:-]{3,}$/.test(second.text.slice(0, LOOKED_AT));
  const header = headed ? `${first.text.trimStart()}\n${second.text.trimEnd()}` : null;
  yield { ...span, kind, header };
}

/** Lines without the white space around them; code keeps what its first line is set in by. */
function place(lines: readonly Line[]): { start: number; end: number; page: null } {
  const first = lines[0] as Line;
  const last = lines.at(-1) as Line;
  const start = first.start + (first.text.length - first.text.trimStart().length);
  return { start, end: Math.max(start, last.start + last.text.trimEnd().length), page: null };
}

const headingText = (text: string): string =>
  (text.split('\n', 1)[0] ?? '')
    .slice(0, LOOKED_AT)
    .replace(/^\s*#+\s*/, '')
    .replace(/\s+#+\s*$/, '')
    .trim()
    .slice(0, 200);
