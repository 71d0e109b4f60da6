import type { Archive } from '../../archive';
import { Blocks } from '../../blocks';
import type { Block } from '../../contract';
import { ParseError } from '../../fault';
import { MAX_PAGES } from '../../limits';
import type { ReadFile } from '../../source';
import { tableBlock } from '../../table';
import { readXml, type XmlEvents, type XmlTag } from '../../xml';
import { relatedTo, titleOf } from './package';

/** A presentation of PowerPoint: its slides in order, each with its notes. Slides count as pages. */
export function readSlides(archive: Archive, main: string, maxCharacters: number): ReadFile {
  const names = new Map(relatedTo(archive, main).map(({ id, name }) => [id, name]));
  const slides: string[] = [];
  readXml(archive.get(main), {
    open: (tag) => {
      if (tag.name === 'sldId') slides.push(names.get(tag.attribute('id', true)) ?? '');
    },
  });
  if (slides.length > MAX_PAGES)
    throw new ParseError('too_large', `The presentation has more than ${MAX_PAGES} slides. Split it into several.`);
  const blocks = new Blocks(maxCharacters);
  for (const [index, slide] of slides.entries()) {
    blocks.addAll(shapesOf(archive.get(slide), index + 1));
    const notes = relatedTo(archive, slide).find(({ type }) => type === 'notesSlide');
    const content = notes === undefined ? null : archive.find(notes.name);
    if (content !== null) blocks.addAll(shapesOf(content, index + 1));
  }
  return { source: blocks.source(), title: titleOf(archive), pages: slides.length, warnings: [] };
}

function shapesOf(content: Uint8Array, page: number): readonly Block[] {
  const slide = new Slide(page);
  readXml(content, slide);
  return slide.titles.concat(slide.blocks);
}

/** Placeholders that are the same on each slide. */
const REPEATED = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg']);
const MAX_ITEM_DEPTH = 8;

/** The shapes of a slide (ECMA-376, PresentationML and DrawingML). */
class Slide implements XmlEvents {
  readonly titles: Block[] = [];
  readonly blocks: Block[] = [];
  #placeholder: string | null = null;
  #lines: string[] = [];
  #line: string[] = [];
  #level = 0;
  #inText = false;
  #rows: string[][] | null = null;
  #fallbacks = 0;

  constructor(private readonly page: number) {}

  open(tag: XmlTag): void {
    const { name } = tag;
    // A fallback copy of the same content.
    if (name === 'Fallback' || this.#fallbacks > 0) this.#fallbacks += 1;
    else if (name === 'sp') this.#placeholder = null;
    else if (name === 'ph') this.#placeholder = tag.attribute('type') || 'body';
    else if (name === 'p') [this.#line, this.#level] = [[], 0];
    else if (name === 'pPr') this.#level = Math.min(MAX_ITEM_DEPTH, Number.parseInt(tag.attribute('lvl'), 10) || 0);
    else if (name === 't') this.#inText = true;
    else if (name === 'br') this.#line.push(' ');
    else if (name === 'tbl') this.#rows = [];
    else if (name === 'tr') this.#rows?.push([]);
  }

  text(text: string): void {
    if (this.#inText && this.#fallbacks === 0) this.#line.push(text);
  }

  close(name: string): void {
    if (this.#fallbacks > 0) {
      this.#fallbacks -= 1;
      return;
    }
    if (name === 't') this.#inText = false;
    else if (name === 'p') this.#endLine();
    else if (name === 'tc') this.#rows?.at(-1)?.push(this.#taken().join(' '));
    else if (name === 'tbl') this.#endTable();
    else if (name === 'txBody' && this.#rows === null) this.#endShape();
  }

  #endLine(): void {
    const text = this.#line.join('').trim();
    const item = this.#placeholder === 'body' || this.#placeholder === 'obj';
    if (text !== '') this.#lines.push(item && this.#level > 0 ? `${'  '.repeat(this.#level)}- ${text}` : text);
    this.#line = [];
  }

  #taken(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  #endTable(): void {
    const block = tableBlock(this.#rows ?? [], this.page);
    this.#rows = null;
    if (block !== null) this.blocks.push(block);
  }

  #endShape(): void {
    const lines = this.#taken();
    const { page } = this;
    if (lines.length === 0 || REPEATED.has(this.#placeholder ?? '')) return;
    if (this.#placeholder === 'title' || this.#placeholder === 'ctrTitle')
      this.titles.push({ kind: 'heading', page, level: 1, text: lines.join(' ') });
    else this.blocks.push({ kind: lines.length > 1 ? 'list' : 'paragraph', page, text: lines.join('\n') });
  }
}
