import { type Block, type Inline, parseMarkdown } from './markdown';

/** Shows a text in Markdown in an element. No text becomes HTML: every element is made here. */
export const showMarkdown = (target: HTMLElement, text: string): void =>
  target.replaceChildren(...parseMarkdown(text).map(blockElement));

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  content: readonly (Node | string)[] = [],
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

function blockElement(block: Block): HTMLElement {
  switch (block.kind) {
    case 'paragraph':
      return element('p', block.parts.map(inlineNode));
    case 'heading':
      return element('p', block.parts.map(inlineNode), { class: 'heading' });
    case 'code':
      return element('pre', [element('code', [block.text])], { tabindex: '0' });
    case 'list': {
      const items = block.items.map((parts) => element('li', parts.map(inlineNode)));
      return block.ordered ? element('ol', items, { start: String(block.start) }) : element('ul', items);
    }
  }
}

function inlineNode(part: Inline): Node | string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'break':
      return element('br');
    case 'code':
      return element('code', [part.text]);
    case 'strong':
    case 'em':
      return element(part.kind, part.parts.map(inlineNode));
    case 'link':
      return element('a', part.parts.map(inlineNode), {
        href: part.href,
        target: '_blank',
        rel: 'noopener noreferrer nofollow',
      });
  }
}
