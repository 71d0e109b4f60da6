import { Budget } from '../budget';
import { BLOCKS, contentOf, UNSEEN } from '../html/write';
import { type HtmlElement, type HtmlNode, parseHtml } from '../html/tree';
import { fenceFor, linesOf } from './inline';

/** A table whose first row is its header; null for one with fewer than two columns, which is layout. */
function tableMarkdown(table: HtmlElement): string | null {
  const rows = rowsOf(table).map((row) => cellsOf(row).map(cellText));
  const width = rows.reduce((max, cells) => Math.max(max, cells.length), 0);
  const [head, ...body] = rows;
  if (head === undefined || width < 2) return null;
  const wide = [...head, ...Array<string>(width - head.length).fill('')];
  return [wide, Array<string>(width).fill('---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Rows of this table, not of tables inside it. */
const rowsOf = (element: HtmlElement): HtmlElement[] =>
  element.children.flatMap((child) => {
    if (child.kind === 'text' || child.name === 'table') return [];
    return child.name === 'tr' ? [child] : rowsOf(child);
  });

const cellsOf = (row: HtmlElement): HtmlElement[] =>
  row.children.filter(
    (child) => child.kind === 'element' && (child.name === 'td' || child.name === 'th'),
  ) as HtmlElement[];

const cellText = (cell: HtmlElement): string => linesOf(cell.children).join(' ').replaceAll('|', '\\|');

/** A piece of Markdown that stands by itself. */
interface Block {
  readonly text: string;
  /** Which of two kinds of bullets a list has, so that it differs from one right before. */
  readonly list: 'none' | 'first' | 'second';
  /** May follow a text without a blank line. */
  readonly close: boolean;
}

/** Characters of text that are moved for one operation. */
const MOVED = 16;

/** Markdown of HTML: what people see of it, with its headings, lists, tables, links and emphasis. @throws Refusal */
export const htmlToMarkdown = (html: string): string => {
  const blocks = new Writer(new Budget()).blocksOf(parseHtml(html).children);
  return blocks.map(({ text }) => text).join('\n\n');
};

class Writer {
  private readonly blocky = new WeakMap<HtmlElement, boolean>();

  constructor(private readonly budget: Budget) {}

  /** Blocks of what stands side by side; runs of texts between them are paragraphs. */
  blocksOf(nodes: readonly HtmlNode[]): Block[] {
    const blocks: Block[] = [];
    let run: HtmlNode[] = [];
    const endRun = (): void => {
      const text = linesOf(run).join('\\\n');
      if (text !== '') blocks.push(other(text));
      run = [];
    };
    for (const node of nodes) {
      if (node.kind === 'text' || !this.isBlock(node)) {
        run.push(node);
        continue;
      }
      endRun();
      blocks.push(...this.blockOf(node, blocks.at(-1)));
    }
    endRun();
    return blocks;
  }

  private blockOf(element: HtmlElement, before: Block | undefined): Block[] {
    const { name, children } = element;
    if (UNSEEN.has(name)) return [];
    if (/^h[1-6]$/.test(name)) {
      // Number signs at the end of a heading would be taken for its frame.
      const text = linesOf(children)
        .join(' ')
        .replace(/(?<!\\)#$/, '\\#');
      return text === '' ? [] : [other(`${'#'.repeat(Number(name[1]))} ${text}`)];
    }
    switch (name) {
      case 'hr':
        return [other('---')];
      case 'pre':
        return [other(fenced(element))];
      case 'blockquote':
        return this.quote(children);
      case 'ul':
      case 'ol':
        return this.list(element, before?.list === 'first' ? 'second' : 'first');
      case 'table': {
        const table = tableMarkdown(element);
        return table === null ? this.blocksOf(children) : [other(table)];
      }
      default:
        return this.blocksOf(children);
    }
  }

  private quote(children: readonly HtmlNode[]): Block[] {
    const blocks = this.blocksOf(children);
    return blocks.length === 0 ? [] : [other(this.prefixed(joined(blocks), '> ', '> '))];
  }

  /** Two lists in a row are told apart by their bullets. */
  private list(element: HtmlElement, list: 'first' | 'second'): Block[] {
    const items: Block[][] = [];
    for (const child of element.children) {
      const blocks = this.blocksOf(child.kind === 'element' && child.name === 'li' ? child.children : [child]);
      const stray = child.kind === 'text' || child.name !== 'li';
      if (blocks.length === 0) continue;
      if (stray) items.push([...(items.pop() ?? []), ...blocks]);
      else items.push(blocks);
    }
    if (items.length === 0) return [];
    const number = Number.parseInt(element.attributes.get('start') ?? '1', 10);
    const first = number >= 0 && number < 100_000_000 ? number : 1;
    const marker = (index: number): string => {
      if (element.name === 'ul') return list === 'first' ? '-' : '*';
      return `${first + index}${list === 'first' ? '.' : ')'}`;
    };
    const written = items.map((blocks, index) => {
      const mark = marker(index);
      return this.prefixed(joined(blocks), `${mark} `, ' '.repeat(mark.length + 1));
    });
    return [{ text: written.join('\n'), list, close: element.name === 'ul' || first === 1 }];
  }

  private prefixed(text: string, first: string, rest: string): string {
    this.budget.spend(text.length / MOVED);
    return text
      .split('\n')
      .map((line, index) => (index === 0 ? first : line === '' ? rest.trimEnd() : rest) + line)
      .join('\n');
  }

  /** True for an element that makes blocks, by its name or its content. Links are inline. */
  private isBlock(element: HtmlElement): boolean {
    if (element.name === 'br' || element.name === 'a') return false;
    if (BLOCKS.has(element.name) || UNSEEN.has(element.name)) return true;
    const known = this.blocky.get(element);
    if (known !== undefined) return known;
    const blocky = element.children.some((child) => child.kind === 'element' && this.isBlock(child));
    this.blocky.set(element, blocky);
    return blocky;
  }
}

const other = (text: string): Block => ({ text, list: 'none', close: false });

/** Blocks of one item or quotation: a list follows a single text at once. */
function joined(blocks: readonly Block[]): string {
  const tight = blocks.filter(({ list }) => list === 'none').length <= 1;
  return blocks.map(({ text, close }, index) => (index === 0 ? '' : tight && close ? '\n' : '\n\n') + text).join('');
}

/** Code unchanged, in a fence; its language is the class for syntax highlighters. */
function fenced(element: HtmlElement): string {
  const code = element.children.find((child) => child.kind === 'element' && child.name === 'code');
  const classes = [element, code]
    .map((one) => (one?.kind === 'element' ? (one.attributes.get('class') ?? '') : ''))
    .join(' ');
  const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,40})/.exec(classes)?.[1] ?? '';
  const text = contentOf(element).replace(/^\n/, '').replace(/\n$/, '');
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${text}\n${fence}`;
}
