import type { Json, JsonObject } from '../../../lib/json';
import { listAt, textAt } from '../values';

/** The longest piece of text that the provider takes. */
const MAX_TEXT_CHARS = 2_000;

/** A text in the provider's pieces; never cut inside a character. */
export function richText(text: string): JsonObject[] {
  const pieces: JsonObject[] = [];
  for (let begin = 0; begin < text.length; ) {
    let end = Math.min(begin + MAX_TEXT_CHARS, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    pieces.push({ type: 'text', text: { content: text.slice(begin, end) } });
    begin = end;
  }
  return pieces;
}

/** The plain text of rich text. */
export const plainText = (value: Json, ...path: readonly string[]): string =>
  listAt(value, ...path)
    .map((piece) => textAt(piece, 'plain_text') ?? textAt(piece, 'text', 'content') ?? '')
    .join('');
