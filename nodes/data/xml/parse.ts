import { setOwn } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { readXml, XmlError } from '../../../lib/xml';
import { Refusal } from '../computed';

/** Characters of XML that are read: about 40 ms. */
const MAX_XML = 512 * 1024;

const LIMITS = { elements: 50_000, depth: 150 };

/** Keys of attributes begin with this; the text beside them is the key TEXT. */
export const ATTRIBUTE = '@';
export const TEXT = '#text';

/** How XML becomes JSON. */
interface XmlReading {
  /** Elements that are always lists. */
  readonly lists: ReadonlySet<string>;
  readonly trim: boolean;
}

/** An element that is not closed yet. */
interface OpenElement {
  readonly name: string;
  readonly members: JsonObject;
  text: string;
}

/**
 * Reads a well-formed XML document: an element with nothing but text is the text; others are objects of their attributes
 * (`@name`), elements and text (`#text`); elements of one name are a list. Of entities only the five of XML itself are
 * known: a document that declares its own is refused, so nothing can be expanded, and nothing is ever fetched.
 * @throws Refusal `invalid_xml` with line and column, `too_large`
 */
export function parseXml(text: string, reading: XmlReading): JsonObject {
  if (text.length > MAX_XML) throw new Refusal('too_large', 'the XML is larger than 512 KiB');
  const root: OpenElement = { name: '', members: {}, text: '' };
  const open: OpenElement[] = [root];
  try {
    readXml(text, LIMITS, {
      open: (name, attributes) => {
        const members: JsonObject = {};
        for (const [key, value] of Object.entries(attributes)) setOwn(members, ATTRIBUTE + key, value);
        open.push({ name, members, text: '' });
      },
      text: (piece) => {
        (open.at(-1) as OpenElement).text += piece;
      },
      close: () => {
        // The parser reports no end without a beginning.
        const closed = open.pop() as OpenElement;
        addMember((open.at(-1) as OpenElement).members, closed.name, valueOf(closed, reading), reading);
      },
    });
  } catch (fault) {
    if (!(fault instanceof XmlError)) throw fault;
    throw new Refusal(
      fault.fault === 'elements' || fault.fault === 'depth' ? 'too_large' : 'invalid_xml',
      fault.message,
    );
  }
  return root.members;
}

function addMember(members: JsonObject, name: string, value: Json, { lists }: XmlReading): void {
  if (!Object.hasOwn(members, name)) return setOwn(members, name, lists.has(name) ? [value] : value);
  const known = members[name] as Json;
  // Values are texts and objects, so a list is one of several elements.
  if (Array.isArray(known)) known.push(value);
  else setOwn(members, name, [known, value]);
}

function valueOf({ members, text }: OpenElement, { trim }: XmlReading): Json {
  const shown = trim ? text.trim() : text;
  if (Object.keys(members).length === 0) return shown;
  // White space between elements is layout.
  if (text.trim() !== '') setOwn(members, TEXT, shown);
  return members;
}
