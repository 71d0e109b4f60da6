import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { Json } from '../../lib/json';

export type JsonPath = (string | number)[];

const DEFAULT_INDENT = '  ';

/**
 * The text of a JSON document with another value at a path, and the rest of the text as it is. The value has several lines where
 * the one before, or for a new member the object, has several.
 */
export function withValue(text: string, path: JsonPath, value: Json): string {
  const root = parseTree(text);
  const place = root && (findNodeAtLocation(root, path) ?? findNodeAtLocation(root, path.slice(0, -1)));
  if (place === undefined) throw new RangeError(`There is nothing at ${path.join('.')}`);
  const hasLines = text.slice(place.offset, place.offset + place.length).includes('\n');
  return applyEdits(text, modify(text, path, value, hasLines ? { formattingOptions: formattingOf(text) } : {}));
}

function formattingOf(text: string) {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? DEFAULT_INDENT;
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
