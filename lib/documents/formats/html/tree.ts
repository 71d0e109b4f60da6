import { Parser } from 'htmlparser2';
import { ParseError } from '../../fault';
import { MAX_ELEMENT_DEPTH, MAX_ELEMENTS } from '../../limits';

/** An element of a page. The root has no name. A child that is a string is text. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: Element | null;
  readonly children: (Element | string)[];
}

/** Reads HTML as forgivingly as browsers do; nothing is run or fetched. @throws ParseError `too_complex` */
export function readTree(html: string): Element {
  const root: Element = { name: '', attributes: {}, parent: null, children: [] };
  const path: Element[] = [root];
  let elements = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++elements > MAX_ELEMENTS)
        throw new ParseError('too_complex', `The page has more than ${MAX_ELEMENTS} elements.`);
      if (path.length > MAX_ELEMENT_DEPTH)
        throw new ParseError('too_complex', `The page nests elements more than ${MAX_ELEMENT_DEPTH} deep.`);
      const parent = path.at(-1) as Element;
      const element: Element = { name, attributes, parent, children: [] };
      parent.children.push(element);
      path.push(element);
    },
    ontext: (text) => void path.at(-1)?.children.push(text),
    onclosetag: () => void path.pop(),
  });
  parser.end(html);
  return root;
}

/** An attribute of an element; '' without it. */
export const attribute = ({ attributes }: Element, name: string): string =>
  Object.hasOwn(attributes, name) ? (attributes[name] as string) : '';

/** The elements under one, in their order. */
export function* elementsOf(root: Element): Generator<Element> {
  const waiting: Element[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element !== root) yield element;
    for (let index = element.children.length - 1; index >= 0; index--) {
      const child = element.children[index] as Element | string;
      if (typeof child !== 'string') waiting.push(child);
    }
  }
}

export const findElement = (root: Element, wanted: (element: Element) => boolean): Element | null => {
  for (const element of elementsOf(root)) if (wanted(element)) return element;
  return null;
};

/** All text of an element, unchanged. */
export function rawText(element: Element): string {
  const pieces: string[] = [];
  const walk = (node: Element): void => {
    for (const child of node.children) {
      if (typeof child === 'string') pieces.push(child);
      else if (child.name === 'br') pieces.push('\n');
      else walk(child);
    }
  };
  walk(element);
  return pieces.join('');
}

/** Elements whose text is not content. */
const UNREAD = new Set(
  'script style noscript template head nav svg canvas iframe object embed audio video map button select textarea input dialog'.split(
    ' ',
  ),
);

/** True if the content of an element is visible text. */
export function isRead(element: Element): boolean {
  if (UNREAD.has(element.name)) return false;
  if (Object.hasOwn(element.attributes, 'hidden') || attribute(element, 'aria-hidden') === 'true') return false;
  return !/display\s{0,9}:\s{0,9}none/i.test(attribute(element, 'style').slice(0, 1_000));
}
