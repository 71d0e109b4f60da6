import { SaxesParser } from 'saxes';
import { ParseError } from './fault';
import { DEEPEST, MOST_ELEMENTS } from './limits';
import { decodeText } from './text';

/** An element as it begins; `name` is without its prefix, as programs choose prefixes freely. */
export interface XmlTag {
  readonly name: string;
  /** An attribute by its name without prefix; '' without it. `id` and `r:id` differ in having one at all. */
  attribute(name: string, prefixed?: boolean): string;
}

/** What is told of an XML document while it is read. */
export interface XmlEvents {
  open?(tag: XmlTag): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Reads an XML document. Nothing is fetched, and of entities only the five of XML itself are known: a document that
 * declares its own is refused.
 * @throws ParseError `broken_file` when it is not well-formed, `too_complex` when there is too much of it, or too deep
 */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  const parser = new SaxesParser();
  let depth = 0;
  let elements = 0;
  parser.on('error', (fault) => {
    throw new ParseError('broken_file', `A part of the file is not well-formed XML: ${fault.message.slice(0, 200)}`);
  });
  parser.on('doctype', (declaration) => {
    if (declaration.includes('['))
      throw new ParseError('broken_file', 'A part of the file declares XML entities of its own, which are not read.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > MOST_ELEMENTS)
      throw new ParseError('too_complex', `A part of the file has more than ${MOST_ELEMENTS} XML elements.`);
    if (++depth > DEEPEST)
      throw new ParseError('too_complex', `A part of the file nests XML elements more than ${DEEPEST} deep.`);
    events.open?.({ name: localName(name), attribute: (local, prefixed) => attributeOf(attributes, local, prefixed) });
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    events.close?.(localName(name));
  });
  const text = (piece: string): void => events.text?.(piece);
  parser.on('text', text);
  parser.on('cdata', text);
  parser.write(decodeText(bytes, null).text).close();
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function attributeOf(attributes: Readonly<Record<string, string>>, local: string, prefixed?: boolean): string {
  for (const [name, value] of Object.entries(attributes)) {
    const hasPrefix = name.includes(':');
    if (localName(name) === local && (prefixed === undefined || prefixed === hasPrefix)) return value;
  }
  return '';
}
