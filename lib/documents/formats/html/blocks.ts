import type { Block } from '../../contract';
import { tableBlock } from '../../table';
import { attribute, type Element, elementsOf, isRead, rawText } from './tree';

/** Characters of a link that is shown. Longer ones are made for machines. */
const MAX_LINK_CHARACTERS = 300;

/** The text of what runs on in lines, its links whole (`[text](address)`) where the page's own address is known. */
function inlineText(nodes: readonly (Element | string)[], base: string | null): string {
  const pieces: string[] = [];
  const walk = (node: Element | string): void => {
    if (typeof node === 'string') return void pieces.push(node.replaceAll(/\s+/g, ' '));
    if (node.name === 'br') return void pieces.push('\n');
    if (!isRead(node)) return;
    if (node.name === 'img') return void pieces.push(attribute(node, 'alt'));
    if (node.name !== 'a') return node.children.forEach(walk);
    pieces.push(linkText(node, inlineText(node.children, base), base));
  };
  nodes.forEach(walk);
  return pieces
    .join('')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim();
}

function linkText(link: Element, text: string, base: string | null): string {
  const href = attribute(link, 'href').trim();
  const space = /\s$/.test(String(link.children.at(-1) ?? '')) ? ' ' : '';
  const before = /^\s/.test(String(link.children[0] ?? '')) ? ' ' : '';
  if (base === null || text === '' || href === '' || href.startsWith('#')) return before + text + space;
  const address = wholeAddress(href, base);
  return address === null || address === text ? before + text + space : `${before}[${text}](${address})${space}`;
}

/** A URL that can be opened in a browser; null for others and for too long ones. */
function wholeAddress(href: string, base: string): string | null {
  const url = URL.canParse(href, base) ? new URL(href, base) : null;
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol) || url.href.length > MAX_LINK_CHARACTERS) return null;
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

/** How a page is written down. */
interface Writing {
  /** By which links are made whole; null to leave them out. */
  readonly base: string | null;
  readonly page: number | null;
  /** Elements that are skipped, beside invisible ones. */
  readonly leftOut: (element: Element) => boolean;
}

/** Elements that lines do not run through. */
const BLOCKS = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main ol optgroup p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

/** The blocks of a page, or of a part of it. */
export function blocksOf(root: Element, writing: Writing): Block[] {
  const writer = new Writer(writing, blocky(root));
  writer.contents(root);
  return writer.blocks;
}

/** The elements that hold a block somewhere. */
function blocky(root: Element): ReadonlySet<Element> {
  const found = new Set<Element>();
  for (const element of elementsOf(root)) {
    if (!BLOCKS.has(element.name)) continue;
    for (let at: Element | null = element; at !== null && !found.has(at); at = at.parent) found.add(at);
  }
  return found;
}

class Writer {
  readonly blocks: Block[] = [];

  constructor(
    private readonly writing: Writing,
    private readonly blocky: ReadonlySet<Element>,
  ) {}

  /** The children of an element; runs of text between blocks become paragraphs. */
  contents(element: Element): void {
    let run: (Element | string)[] = [];
    const endRun = (): void => {
      this.#add({ kind: 'paragraph', page: this.writing.page, text: this.#inline(run) });
      run = [];
    };
    for (const child of element.children) {
      if (typeof child === 'string' || !this.blocky.has(child)) {
        run.push(child);
        continue;
      }
      endRun();
      if (isRead(child) && !this.writing.leftOut(child)) this.#block(child);
    }
    endRun();
  }

  #block(element: Element): void {
    const { page } = this.writing;
    const { name } = element;
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined)
      return this.#add({ kind: 'heading', page, level: Number(level), text: oneLine(this.#inline(element.children)) });
    switch (name) {
      case 'pre':
        return this.#add({ kind: 'code', page, language: languageOf(element), text: rawText(element) });
      case 'ul':
      case 'ol':
        return this.#add({ kind: 'list', page, text: this.#items(element, '').join('\n') });
      case 'dl':
        return this.#add({ kind: 'list', page, text: this.#terms(element) });
      case 'table':
        return this.#table(element);
      default:
        return this.contents(element);
    }
  }

  /** Items are lines, set in by how deep their list is. Blocks in an item run together. */
  #items(list: Element, indent: string): string[] {
    const lines: string[] = [];
    let number = list.name === 'ol' ? Number.parseInt(attribute(list, 'start') || '1', 10) || 1 : null;
    for (const item of childElements(list)) {
      if (!isRead(item) || this.writing.leftOut(item)) continue;
      if (isList(item)) {
        lines.push(...this.#items(item, deeper(indent)));
        continue;
      }
      const inner = item.children.filter((child) => typeof child === 'string' || !isList(child));
      const text = oneLine(this.#flat(inner));
      if (text !== '') lines.push(`${indent}${number === null ? '-' : `${number}.`} ${text}`);
      if (number !== null) number += 1;
      for (const child of childElements(item)) if (isList(child)) lines.push(...this.#items(child, deeper(indent)));
    }
    return lines;
  }

  #terms(list: Element): string {
    const lines: string[] = [];
    for (const child of elementsOf(list)) {
      if (child.name === 'dt') lines.push(oneLine(this.#flat(child.children)));
      else if (child.name === 'dd') lines.push(`  ${oneLine(this.#flat(child.children))}`);
    }
    return lines.filter((line) => line.trim() !== '').join('\n');
  }

  /** A table within a table, or of one column, is layout. */
  #table(table: Element): void {
    const inner = [...elementsOf(table)];
    if (inner.some(({ name }) => name === 'table')) return this.contents(table);
    const rows = inner.filter(({ name }) => name === 'tr').map((row) => this.#cells(row));
    if (!rows.some((row) => row.length > 1)) return this.contents(table);
    const caption = inner.find(({ name }) => name === 'caption');
    if (caption !== undefined)
      this.#add({ kind: 'paragraph', page: this.writing.page, text: this.#inline(caption.children) });
    const block = tableBlock(rows, this.writing.page);
    if (block !== null) this.#add(block);
  }

  #cells(row: Element): string[] {
    return childElements(row)
      .filter(({ name }) => name === 'td' || name === 'th')
      .flatMap((cell) => {
        const empty = Math.min(MAX_SPAN, Number.parseInt(attribute(cell, 'colspan'), 10) || 1) - 1;
        return [this.#flat(cell.children), ...new Array<string>(Math.max(0, empty)).fill('')];
      });
  }

  /** Text of an element that may contain blocks, where blocks are not allowed. */
  #flat(nodes: readonly (Element | string)[]): string {
    const pieces: string[] = [];
    let run: (Element | string)[] = [];
    for (const node of nodes) {
      if (typeof node === 'string' || !this.blocky.has(node)) {
        run.push(node);
        continue;
      }
      pieces.push(this.#inline(run), isRead(node) ? this.#flat(node.children) : '');
      run = [];
    }
    pieces.push(this.#inline(run));
    return pieces.filter((piece) => piece !== '').join('\n');
  }

  #inline(nodes: readonly (Element | string)[]): string {
    return inlineText(nodes, this.writing.base);
  }

  #add(block: Block): void {
    if (block.text.trim() !== '') this.blocks.push(block);
  }
}

const MAX_SPAN = 50;
const MAX_INDENT = 16;

const deeper = (indent: string): string => (indent.length < MAX_INDENT ? `${indent}  ` : indent);
const isList = ({ name }: Element): boolean => name === 'ul' || name === 'ol';
const childElements = ({ children }: Element): Element[] =>
  children.filter((child): child is Element => typeof child !== 'string');
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The language of a code block, if the page declares it in a usual way. */
function languageOf(pre: Element): string | null {
  const names = [pre, ...childElements(pre)].map((element) => attribute(element, 'class')).join(' ');
  return /\b(?:language|lang|highlight-source)-([\w+#-]{1,30})/.exec(names.slice(0, 500))?.[1] ?? null;
}
