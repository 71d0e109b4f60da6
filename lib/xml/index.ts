import { SaxesParser } from 'saxes';

interface XmlLimits {
  readonly elements: number;
  readonly depth: number;
}

/** `declarations`: the document declares entities, which are never expanded. */
type XmlFault = 'malformed' | 'declarations' | 'elements' | 'depth';

export class XmlError extends Error {
  override readonly name = 'XmlError';

  constructor(
    readonly fault: XmlFault,
    message: string,
  ) {
    super(message);
  }
}

interface XmlEvents {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  /** Text and CDATA sections, in pieces. */
  text(text: string): void;
}

const MAX_MESSAGE_CHARS = 200;

/**
 * Parses a well-formed XML document. Fetches nothing, and supports only XML's five predefined entities.
 * @throws XmlError; errors of `events`
 */
export function readXml(text: string, limits: XmlLimits, events: XmlEvents): void {
  const parser = new SaxesParser();
  let depth = 0;
  let elements = 0;
  parser.on('error', ({ message }) => {
    throw new XmlError('malformed', `the text is not XML: ${message.slice(0, MAX_MESSAGE_CHARS)}`);
  });
  parser.on('doctype', (declaration) => {
    if (declaration.includes('['))
      throw new XmlError('declarations', 'a document with its own declarations is not supported');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > limits.elements)
      throw new XmlError('elements', `the XML has more than ${limits.elements} elements`);
    if (++depth > limits.depth) throw new XmlError('depth', `the XML is nested more than ${limits.depth} deep`);
    events.open(name, attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    events.close(name);
  });
  parser.on('text', (piece) => events.text(piece));
  parser.on('cdata', (piece) => events.text(piece));
  parser.write(text).close();
}
