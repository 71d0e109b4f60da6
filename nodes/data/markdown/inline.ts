import type { HtmlElement, HtmlNode } from '../html/tree';
import { BLOCKS, contentOf, UNSEEN } from '../html/write';

/** The Markdown around the text of an inline element. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
  ['cite', '*'],
  ['del', '~~'],
  ['s', '~~'],
  ['strike', '~~'],
]);

const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);

/** Addresses that a link or an image does not get: programs, and files written out. */
const UNFIT = /^\s*(?:javascript|vbscript|data):/i;

/** What would begin a block at the start of a line. Marks of our own begin with other characters. */
const BLOCK_START = /^(?=[#>+\-=|:])|^(\d{1,9})(?=[.)])/;

/** The enclosing marks: no mark is nested in itself, and no link in a link. */
interface EnclosingMarks {
  readonly marks: readonly string[];
  readonly linked: boolean;
}

/** The lines of a paragraph: separated by `br`, trimmed. */
export function linesOf(nodes: readonly HtmlNode[]): string[] {
  const lines = lineOf(nodes, { marks: [], linked: false })
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim());
  while (lines.at(-1) === '') lines.pop();
  const first = lines.findIndex((line) => line !== '');
  return lines.slice(Math.max(first, 0)).map((line) => line.replace(BLOCK_START, '$1\\'));
}

/** Markdown in which each `br` is a line break. */
function lineOf(nodes: readonly HtmlNode[], around: EnclosingMarks): string {
  const pieces: string[] = [];
  let before: HtmlNode | undefined;
  for (const node of nodes) {
    const piece = pieceOf(node, around);
    if (piece === '') continue;
    const last = pieces.at(-1) ?? '';
    const mark = markOf(node);
    if (mark !== undefined && mark === markOf(before) && last.endsWith(mark) && piece.startsWith(mark)) {
      // Two runs in bold without anything between are one: `**a****b**` would be read otherwise.
      pieces.push(pieces.pop()?.slice(0, -mark.length) ?? '', piece.slice(mark.length));
    } else if (piece.startsWith('`') && last.endsWith('`') && before?.kind === 'element') {
      // So would two pieces of code: their backticks would run together.
      pieces.push(' ', piece);
    } else {
      pieces.push(piece);
    }
    before = node;
  }
  return pieces.join('');
}

const markOf = (node: HtmlNode | undefined): string | undefined =>
  node?.kind === 'element' ? MARKS.get(node.name) : undefined;

function pieceOf(node: HtmlNode, around: EnclosingMarks): string {
  if (node.kind === 'text') return escapeText(node.text.replace(/\s+/g, ' '));
  if (UNSEEN.has(node.name)) return '';
  if (node.name === 'br') return '\n';
  if (node.name === 'img') return image(node);
  if (node.name === 'a' && !around.linked) return link(node, around);
  if (CODE.has(node.name)) return code(contentOf(node));
  const mark = markOf(node);
  if (mark !== undefined && !around.marks.includes(mark)) {
    return marked(lineOf(node.children, { ...around, marks: [...around.marks, mark] }), mark);
  }
  const inner = lineOf(node.children, around);
  return BLOCKS.has(node.name) ? ` ${inner} ` : inner;
}

/** Marks are adjacent to their text; white space goes outside. */
function marked(text: string, mark: string): string {
  const core = text.trim();
  if (core === '') return text;
  const start = text.indexOf(core);
  return text.slice(0, start) + mark + core + mark + text.slice(start + core.length);
}

function code(content: string): string {
  const text = content.replace(/\s+/g, ' ');
  if (text.trim() === '') return text;
  const fence = fenceFor(text, 1);
  const room = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return fence + room + text + room + fence;
}

/** More backticks than stand together anywhere in a text, and at least so many. */
export function fenceFor(text: string, min: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(min, longest + 1));
}

function link(element: HtmlElement, around: EnclosingMarks): string {
  const text = lineOf(element.children, { ...around, linked: true });
  const target = element.attributes.get('href');
  const core = text.trim();
  if (target === undefined || core === '' || UNFIT.test(target)) return text;
  const start = text.indexOf(core);
  const written = `[${core.replaceAll('\n', ' ')}](${address(target)}${title(element)})`;
  return text.slice(0, start) + written + text.slice(start + core.length);
}

function image(element: HtmlElement): string {
  const text = escapeText((element.attributes.get('alt') ?? '').replace(/\s+/g, ' '));
  const source = element.attributes.get('src');
  return source === undefined || UNFIT.test(source) ? text : `![${text}](${address(source)}${title(element)})`;
}

const ADDRESS_ESCAPES: Readonly<Record<string, string>> = {
  ' ': '%20',
  '(': '%28',
  ')': '%29',
  '<': '%3C',
  '>': '%3E',
  '\\': '%5C',
};

const address = (target: string): string =>
  target
    .replace(/[\t\n\r]/g, '')
    .trim()
    .replace(/[ ()<>\\]/g, (character) => ADDRESS_ESCAPES[character] as string)
    .replace(/&(?=#?\w{1,40};)/g, '&amp;');

function title(element: HtmlElement): string {
  const text = (element.attributes.get('title') ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? '' : ` "${text.replace(/[\\"&]/g, '\\$&')}"`;
}

/** Text in which nothing is read as Markdown or HTML inside a line. */
const escapeText = (text: string): string => text.replace(/[\\`*_[\]<~]|&(?=[#\w])|!$/g, '\\$&');
