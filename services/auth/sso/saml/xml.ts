import { SaxesParser, type SaxesTagNS } from 'saxes';

/** An element with resolved names, without prefixes. */
export interface Element {
  readonly uri: string;
  readonly name: string;
  /** Attributes without a namespace. SAML and XML Signature have no others. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** The text between the children, concatenated. */
  readonly text: string;
}

export const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';

const MAX_MESSAGE_CHARS = 256 * 1024;
const MAX_DEPTH = 40;
const MAX_ELEMENTS = 5_000;

interface Open {
  uri: string;
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** Why a text is not an acceptable SAML message. */
export class XmlFault extends Error {}

/**
 * Parses a message. Rejects features that SAML does not need and that attacks use: document types and with them entities,
 * processing instructions, comments (parsers disagree on the text around them), and CDATA.
 * @throws XmlFault
 */
export function parseXml(text: string): Element {
  if (text.length > MAX_MESSAGE_CHARS) throw new XmlFault(`the message is longer than ${MAX_MESSAGE_CHARS} characters`);
  const parser = new SaxesParser({ xmlns: true });
  const open: Open[] = [];
  let root: Element | null = null;
  let elements = 0;
  const refuse = (what: string) => (): never => {
    throw new XmlFault(`the message has ${what}`);
  };
  parser.on('error', (cause) => {
    throw new XmlFault('the message is not well-formed XML', { cause });
  });
  parser.on('doctype', refuse('a document type'));
  parser.on('processinginstruction', refuse('a processing instruction'));
  parser.on('comment', refuse('a comment'));
  parser.on('cdata', refuse('a CDATA section'));
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') refuse('another encoding than UTF-8')();
  });
  parser.on('opentag', (tag) => {
    elements += 1;
    if (elements > MAX_ELEMENTS || open.length >= MAX_DEPTH) refuse('too many elements, or too deep ones')();
    open.push({ uri: tag.uri, name: tag.local, attributes: attributesOf(tag), children: [], text: '' });
  });
  parser.on('text', (part) => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += part;
  });
  parser.on('closetag', () => {
    const closed = open.pop() as Open;
    const parent = open.at(-1);
    if (parent === undefined) root = closed;
    else parent.children.push(closed);
  });
  parser.write(text).close();
  if (root === null) throw new XmlFault('the message is empty');
  return root;
}

function attributesOf({ attributes }: SaxesTagNS): Record<string, string> {
  const plain = Object.values(attributes).filter(({ uri }) => uri === '');
  return Object.fromEntries(plain.map(({ local, value }) => [local, value]));
}

/** The children with a name. */
export const childrenOf = ({ children }: Element, uri: string, name: string): Element[] =>
  children.filter((child) => child.uri === uri && child.name === name);

/** The only child with a name; null when there is none, or several. */
export function childOf(parent: Element, uri: string, name: string): Element | null {
  const found = childrenOf(parent, uri, name);
  return found.length === 1 ? (found[0] as Element) : null;
}

/** The element and its descendants, in document order. */
export function* everyOf(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) yield* everyOf(child);
}

/** The value of an attribute; null without one. */
export const attribute = ({ attributes }: Element, name: string): string | null =>
  Object.hasOwn(attributes, name) ? (attributes[name] as string) : null;
