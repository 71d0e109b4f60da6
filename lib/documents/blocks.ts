import type { Block } from './contract';
import { ParseError } from './fault';
import { joinBlocks, type Source } from './source';
import { cleanText } from './text';

/** Collects the blocks of a document, up to a maximum of text. */
export class Blocks {
  readonly #blocks: Block[] = [];
  #characters = 0;

  constructor(private readonly maxCharacters: number) {}

  get empty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Ignores a block without text. @throws ParseError `too_large` */
  add(block: Block): void {
    if (block.text.trim() === '') return;
    // Counts the smallest block too.
    this.#characters += block.text.length + 2;
    if (this.#characters > this.maxCharacters)
      throw new ParseError(
        'too_large',
        `The document has more than ${this.maxCharacters} characters of text. Split it into several.`,
      );
    // Escapes and references may have produced any character.
    this.#blocks.push({ ...block, text: cleanText(block.text) });
  }

  addAll(blocks: Iterable<Block>): void {
    for (const block of blocks) this.add(block);
  }

  source(): Source {
    return joinBlocks(this.#blocks);
  }
}
