import { Blocks } from '../../blocks';
import type { Block } from '../../contract';
import type { ReadFile } from '../../source';
import { blocksOf } from './blocks';
import { isAround, readablePart } from './readable';
import { attribute, type Element, findElement, rawText, readTree } from './tree';

const MAX_TITLE_CHARACTERS = 300;

/** A page: all visible text, or only the main content if it was fetched from a URL. */
export function readHtml(html: string, url: string | null, maxCharacters: number): ReadFile {
  const root = readTree(html);
  const base = baseOf(root, url);
  const part = url === null ? root : readablePart(root);
  const blocks = new Blocks(maxCharacters);
  const leftOut = url === null ? () => false : isAround;
  blocks.addAll(blocksOf(part, { base, page: null, leftOut }));
  // A page that is all frame, such as a form, is better than nothing.
  if (blocks.empty && url !== null) blocks.addAll(blocksOf(root, { base, page: null, leftOut: () => false }));
  return { source: blocks.source(), title: titleOf(root), pages: null, warnings: [] };
}

/** The blocks of a chapter of a book, and its title. */
export function readChapter(html: string, page: number): { readonly blocks: Block[]; readonly title: string | null } {
  const root = readTree(html);
  return { blocks: blocksOf(root, { base: null, page, leftOut: () => false }), title: titleOf(root) };
}

function titleOf(root: Element): string | null {
  const title = findElement(root, ({ name, parent }) => name === 'title' && parent?.name !== 'svg');
  const heading = title ?? findElement(root, ({ name }) => name === 'h1');
  const text = heading === null ? '' : rawText(heading).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? null : text.slice(0, MAX_TITLE_CHARACTERS);
}

/** The base URL of links, which a page may override. */
function baseOf(root: Element, url: string | null): string | null {
  const element = findElement(root, ({ name }) => name === 'base');
  const href = element === null ? '' : attribute(element, 'href');
  if (url !== null && URL.canParse(href, url)) return href === '' ? url : new URL(href, url).href;
  return url;
}
