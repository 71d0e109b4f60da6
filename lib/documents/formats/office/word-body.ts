import type { Blocks } from '../../blocks';
import { tableBlock } from '../../table';
import type { XmlEvents, XmlTag } from '../../xml';
import { type HeadingStyles, outlineLevel } from './word-styles';

/** A paragraph being read. Paragraphs nest: a text box is anchored inside one. */
interface Paragraph {
  readonly text: string[];
  level: number | null;
  /** How deep in a list; null outside of one. */
  item: number | null;
}

interface Table {
  readonly rows: string[][];
  /** Columns that the cell takes. */
  span: number;
  cell: string[];
}

/** Deleted or moved text, fallback copies, and field codes. */
const SKIPPED = new Set(['del', 'moveFrom', 'Fallback', 'instrText', 'delText']);
/** Footnotes that are lines and not notes. */
const SEPARATORS = new Set(['separator', 'continuationSeparator', 'continuationNotice']);
const MAX_SPAN = 50;
const MAX_ITEM_DEPTH = 8;

/** The body of a Word document (ECMA-376, WordprocessingML). */
export class WordBody implements XmlEvents {
  readonly #paragraphs: Paragraph[] = [];
  readonly #tables: Table[] = [];
  #items: string[] = [];
  #skipping = 0;
  #inText = false;

  constructor(
    private readonly headings: HeadingStyles,
    private readonly blocks: Blocks,
  ) {}

  open(tag: XmlTag): void {
    const { name } = tag;
    if (this.#skipping > 0 || SKIPPED.has(name) || (name === 'footnote' && SEPARATORS.has(tag.attribute('type')))) {
      this.#skipping += 1;
      return;
    }
    if (name === 'p') this.#paragraphs.push({ text: [], level: null, item: null });
    else if (name === 't') this.#inText = true;
    else if (name === 'tbl') this.#tables.push({ rows: [], span: 1, cell: [] });
    else if (name === 'tr') this.#tables.at(-1)?.rows.push([]);
    else if (name === 'gridSpan') this.#spanCell(tag.attribute('val'));
    else this.#property(tag);
  }

  text(text: string): void {
    if (this.#inText && this.#skipping === 0) this.#paragraphs.at(-1)?.text.push(text);
  }

  close(name: string): void {
    if (this.#skipping > 0) {
      this.#skipping -= 1;
      return;
    }
    if (name === 't') this.#inText = false;
    else if (name === 'p') this.#endParagraph();
    else if (name === 'tc') this.#endCell();
    else if (name === 'tbl') this.#endTable();
  }

  /** Called at the end of the document. */
  end(): void {
    this.#endList();
  }

  #property(tag: XmlTag): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    switch (tag.name) {
      case 'pStyle':
        paragraph.level ??= this.headings.get(tag.attribute('val')) ?? null;
        return;
      case 'outlineLvl':
        paragraph.level = outlineLevel(tag.attribute('val'));
        return;
      case 'numId':
        // 0 takes a paragraph out of the list that its style puts it in.
        paragraph.item = tag.attribute('val') === '0' ? null : (paragraph.item ?? 0);
        return;
      case 'ilvl':
        paragraph.item = Math.min(MAX_ITEM_DEPTH, Number.parseInt(tag.attribute('val'), 10) || 0);
        return;
      case 'tab':
        return void paragraph.text.push('\t');
      case 'br':
      case 'cr':
        return void paragraph.text.push('\n');
      case 'noBreakHyphen':
        return void paragraph.text.push('-');
      default:
    }
  }

  #spanCell(columns: string): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) table.span = Math.min(MAX_SPAN, Number.parseInt(columns, 10) || 1);
  }

  #endParagraph(): void {
    const { text, level, item } = this.#paragraphs.pop() as Paragraph;
    const whole = text.join('').trim();
    if (whole === '') return;
    const table = this.#tables.at(-1);
    if (table !== undefined) return void table.cell.push(whole);
    if (item !== null && level === null) return void this.#items.push(`${'  '.repeat(item)}- ${whole}`);
    this.#endList();
    if (level === null) this.blocks.add({ kind: 'paragraph', page: null, text: whole });
    else this.blocks.add({ kind: 'heading', page: null, level, text: whole.replaceAll(/\s+/g, ' ') });
  }

  #endList(): void {
    if (this.#items.length > 0) this.blocks.add({ kind: 'list', page: null, text: this.#items.join('\n') });
    this.#items = [];
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const empty = new Array<string>(Math.max(0, table.span - 1)).fill('');
    table.rows.at(-1)?.push(table.cell.join('\n'), ...empty);
    table.cell = [];
    table.span = 1;
  }

  /** A table within a cell becomes text of the cell. */
  #endTable(): void {
    const { rows } = this.#tables.pop() as Table;
    const outer = this.#tables.at(-1);
    if (outer !== undefined) {
      outer.cell.push(...rows.map((row) => row.filter((cell) => cell !== '').join(', ')));
      return;
    }
    this.#endList();
    const block = tableBlock(rows, null);
    if (block !== null) this.blocks.add(block);
  }
}
