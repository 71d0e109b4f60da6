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

interface OpenElement {
  uri: string;
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** A text is not a valid SAML message. */
export class InvalidSaml extends Error {}

/**
 * Parses a message. Rejects features that SAML does not need and that attacks use: document types and with them entities,
 * processing instructions, comments (parsers disagree on the text around them), and CDATA.
 * @throws InvalidSaml
 */
export function parseXml(text: string): Element {
  if (text.length > MAX_MESSAGE_CHARS)
    throw new InvalidSaml(`the message is longer than ${MAX_MESSAGE_CHARS} characters`);
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [];
  let root: Element | null = null;
  let elements = 0;
  const reject = (what: string) => (): never => {
    throw new InvalidSaml(`the message has ${what}`);
  };
  parser.on('error', (cause) => {
    throw new InvalidSaml('the message is not well-formed XML', { cause });
  });
  parser.on('doctype', reject('a document type'));
  parser.on('processinginstruction', reject('a processing instruction'));
  parser.on('comment', reject('a comment'));
  parser.on('cdata', reject('a CDATA section'));
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') reject('an encoding other than UTF-8')();
  });
  parser.on('opentag', (tag) => {
    elements += 1;
    if (elements > MAX_ELEMENTS || open.length >= MAX_DEPTH) reject('too many or too deeply nested elements')();
    open.push({ uri: tag.uri, name: tag.local, attributes: attributesOf(tag), children: [], text: '' });
  });
  parser.on('text', (part) => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += part;
  });
  parser.on('closetag', () => {
    const closed = open.pop() as OpenElement;
    const parent = open.at(-1);
    if (parent === undefined) root = closed;
    else parent.children.push(closed);
  });
  parser.write(text).close();
  if (root === null) throw new InvalidSaml('the message is empty');
  return root;
}

function attributesOf({ attributes }: SaxesTagNS): Record<string, string> {
  const plain = Object.values(attributes).filter(({ uri }) => uri === '');
  return Object.fromEntries(plain.map(({ local, value }) => [local, value]));
}

export const childrenOf = ({ children }: Element, uri: string, name: string): Element[] =>
  children.filter((child) => child.uri === uri && child.name === name);

/** Returns the only child with a name; null if none or several have it. */
export function childOf(parent: Element, uri: string, name: string): Element | null {
  const found = childrenOf(parent, uri, name);
  return found.length === 1 ? (found[0] as Element) : null;
}

/** The element and its descendants, in document order. */
export function* withDescendants(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) yield* withDescendants(child);
}

/** Returns the value of an attribute, or null. */
export const attribute = ({ attributes }: Element, name: string): string | null =>
  Object.hasOwn(attributes, name) ? (attributes[name] as string) : null;
