import type { HtmlElement, HtmlNode } from './tree';

/** Elements that hold no text for people. */
export const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head', 'title']);

/** Elements before and after which text does not run on. */
export const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol option p pre section select summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const RAW = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** The visible text of an element, with white space collapsed. Of a hidden element, its own text. */
export function textOf(element: HtmlElement): string {
  let text = '';
  const walk = (node: HtmlNode): void => {
    if (node.kind === 'text') {
      text += node.text;
      return;
    }
    if (UNSEEN.has(node.name) && node !== element) return;
    const apart = BLOCKS.has(node.name) ? ' ' : '';
    text += apart;
    for (const child of node.children) walk(child);
    text += apart;
  };
  walk(element);
  return text.replace(/\s+/g, ' ').trim();
}

/** All text of a node, visible or not, unchanged. */
export const contentOf = (node: HtmlNode): string =>
  node.kind === 'text' ? node.text : node.children.map(contentOf).join('');

/** The HTML inside an element. */
export const innerHtml = (element: HtmlElement): string => element.children.map((child) => htmlOf(child)).join('');

function htmlOf(node: HtmlNode): string {
  if (node.kind === 'text') return RAW.has(node.parent.name) ? node.text : escapeText(node.text);
  let attributes = '';
  for (const [name, value] of node.attributes)
    attributes += ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`;
  const start = `<${node.name}${attributes}>`;
  return VOID.has(node.name) ? start : `${start}${innerHtml(node)}</${node.name}>`;
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\u00a0', '&nbsp;');
