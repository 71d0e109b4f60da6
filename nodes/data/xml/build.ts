import { setOwn, toText } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { MAX_SIZE, misconfigured, Refusal } from '../computed';
import { ATTRIBUTE, TEXT } from './parse';

/** How JSON becomes XML. */
interface XmlWriting {
  readonly declaration: boolean;
  /** Spaces for each level; 0 writes everything on one line. */
  readonly indent: number;
}

const START =
  ':A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}-\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
/** Name, as XML 1.0 (fifth edition) section 2.3 has it. */
const NAME = new RegExp(`^[${START}][${START}.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}-\\u{2040}-]*$`, 'u');
/** Characters that are not allowed (section 2.2). */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/**
 * Writes an object of one member, the root, as XML that `parseXml` reads back.
 * @throws Refusal `invalid_config` for names and characters that XML does not have, `too_large`
 */
export function buildXml(value: JsonObject, writing: XmlWriting): string {
  const names = Object.keys(value);
  const [root] = names;
  if (root === undefined || names.length > 1 || Array.isArray(value[root])) {
    throw misconfigured('"value" must have exactly one member, the root element');
  }
  const writer = new Writer(writing);
  if (writing.declaration) writer.line(0, '<?xml version="1.0" encoding="UTF-8"?>');
  writer.element(root, value[root] as Json, 0);
  return writer.text();
}

/** Gathers the pieces, and stops when there are too many. */
class Writer {
  private readonly pieces: string[] = [];
  private size = 0;

  constructor(private readonly writing: XmlWriting) {}

  text(): string {
    return this.pieces.join('');
  }

  line(level: number, piece: string): void {
    const { indent } = this.writing;
    this.add(indent === 0 ? piece : `${' '.repeat(indent * level)}${piece}\n`);
  }

  element(name: string, value: Json, level: number): void {
    if (!NAME.test(name)) throw misconfigured(`"${name}" is not a name that XML has`);
    const { attributes, text, children } = partsOf(value);
    const start = `<${name}${attributes}`;
    if (children.length === 0) return this.line(level, text === '' ? `${start}/>` : `${start}>${text}</${name}>`);
    this.line(level, `${start}>`);
    if (text !== '') this.line(level + 1, text);
    for (const [child, inner] of children) {
      for (const one of Array.isArray(inner) ? inner : [inner]) this.element(child, one, level + 1);
    }
    this.line(level, `</${name}>`);
  }

  private add(piece: string): void {
    this.size += piece.length;
    if (this.size > MAX_SIZE) throw new Refusal('too_large', 'the XML would be larger than 1 MiB');
    this.pieces.push(piece);
  }
}

interface ElementParts {
  attributes: string;
  text: string;
  children: [string, Json][];
}

function partsOf(value: Json): ElementParts {
  if (!isObject(value)) return { attributes: '', text: escaped(value, /[&<>\r]/g), children: [] };
  let attributes = '';
  const rest: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (!key.startsWith(ATTRIBUTE)) {
      setOwn(rest, key, member);
      continue;
    }
    const name = key.slice(ATTRIBUTE.length);
    if (!NAME.test(name)) throw misconfigured(`"${key}" is not an attribute that XML has`);
    attributes += ` ${name}="${escaped(member, /[&<>"\r\n\t]/g)}"`;
  }
  const text = Object.hasOwn(rest, TEXT) ? escaped(rest[TEXT] as Json, /[&<>\r]/g) : '';
  return { attributes, text, children: Object.entries(rest).filter(([key]) => key !== TEXT) };
}

function escaped(value: Json, special: RegExp): string {
  if (typeof value === 'object' && value !== null)
    throw misconfigured('a text or an attribute cannot be a list or an object');
  const text = toText(value);
  if (NO_CHARACTER.test(text)) throw misconfigured('a text has a character that XML does not have');
  return text.replace(special, (character) => ESCAPES[character] as string);
}
