import { attribute, type Element, isRead } from './tree';

/** Characters of a link that is shown. Longer ones are made for machines. */
const MAX_LINK_CHARACTERS = 300;

/** The text of what runs on in lines, its links whole (`[text](address)`) where the page's own address is known. */
export function inlineText(nodes: readonly (Element | string)[], base: string | null): string {
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
