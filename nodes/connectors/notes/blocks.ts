import type { Json, JsonObject } from '../../../lib/json';
import { InvalidInputError } from '../invalid-input-error';
import { listAt, objectAt, withoutUndefined, textAt } from '../values';
import { plainText, richText } from './rich-text';

/** Most blocks that the provider takes at once. */
const MAX_BLOCKS = 100;

/** The blocks for an input: its paragraphs, then its blocks. @throws InvalidInputError */
export function blocksOf(input: JsonObject): Json[] {
  const paragraphs = (textAt(input, 'content') ?? '')
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => ({ object: 'block', type: 'paragraph', paragraph: { rich_text: richText(paragraph) } }));
  const blocks = [...paragraphs, ...listAt(input, 'blocks')];
  if (blocks.length > MAX_BLOCKS) {
    throw new InvalidInputError(
      `${blocks.length} paragraphs and blocks are more than ${MAX_BLOCKS}; append them in several steps`,
    );
  }
  return blocks;
}

/** The icon of a page: an emoji, or an image at an address. */
export function iconOf(input: JsonObject): JsonObject | undefined {
  const icon = textAt(input, 'icon');
  if (icon === undefined) return undefined;
  return /^https?:/i.test(icon) ? { type: 'external', external: { url: icon } } : { type: 'emoji', emoji: icon };
}

/** A block as it comes, with its text. */
export function blockOf(block: Json): JsonObject {
  const type = textAt(block, 'type') ?? '';
  return withoutUndefined({ ...objectAt(block), text: plainText(block, type, 'rich_text') });
}
