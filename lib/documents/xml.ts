import { readXml as parseXml, XmlError } from '../xml';
import { ParseError } from './fault';
import { MAX_ELEMENT_DEPTH, MAX_ELEMENTS } from './limits';
import { decodeText } from './text';

/** A start tag; `name` is without its prefix, which programs choose freely. */
export interface XmlTag {
  readonly name: string;
  /** An attribute by its local name; '' without one. `id` and `r:id` differ in having a prefix. */
  attribute(name: string, prefixed?: boolean): string;
}

/** Callbacks for an XML document. */
export interface XmlEvents {
  open?(tag: XmlTag): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Parses an XML part of a document. @throws ParseError `broken_file`, `too_complex` */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  try {
    parseXml(
      decodeText(bytes, null).text,
      { elements: MAX_ELEMENTS, depth: MAX_ELEMENT_DEPTH },
      {
        open: (name, attributes) =>
          events.open?.({
            name: localName(name),
            attribute: (local, prefixed) => attributeOf(attributes, local, prefixed),
          }),
        close: (name) => events.close?.(localName(name)),
        text: (text) => events.text?.(text),
      },
    );
  } catch (fault) {
    if (!(fault instanceof XmlError)) throw fault;
    const code = fault.fault === 'elements' || fault.fault === 'depth' ? 'too_complex' : 'broken_file';
    throw new ParseError(code, `A part of the file cannot be read: ${fault.message}.`);
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function attributeOf(attributes: Readonly<Record<string, string>>, local: string, prefixed?: boolean): string {
  for (const [name, value] of Object.entries(attributes)) {
    const hasPrefix = name.includes(':');
    if (localName(name) === local && (prefixed === undefined || prefixed === hasPrefix)) return value;
  }
  return '';
}
