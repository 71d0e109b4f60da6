import { readXml } from '../../xml';

/** Levels of headings by the id of their style. */
export type HeadingStyles = ReadonlyMap<string, number>;

interface Style {
  readonly basedOn: string;
  readonly level: number | null;
}

const MAX_OUTLINE_LEVEL = 9;
/** Styles that are based on each other. */
const MAX_STYLE_CHAIN = 20;

/** The styles that make headings: by their outline level, their own name (which is English in all languages), or another style's. */
export function headingStyles(content: Uint8Array | null): HeadingStyles {
  const styles = new Map<string, Style>();
  if (content !== null) readStyles(content, (id, style) => styles.set(id, style));
  const levels = new Map<string, number>();
  for (const id of styles.keys()) {
    const level = levelOf(id, styles);
    if (level !== null) levels.set(id, level);
  }
  return levels;
}

/** Heading level of Word's outline level (from 0); null for body text. */
export function outlineLevel(value: string): number | null {
  const level = Number.parseInt(value, 10);
  return level >= 0 && level < MAX_OUTLINE_LEVEL ? level + 1 : null;
}

function levelOf(id: string, styles: ReadonlyMap<string, Style>): number | null {
  let style = styles.get(id);
  for (let steps = 0; style !== undefined && steps < MAX_STYLE_CHAIN; steps++) {
    if (style.level !== null) return style.level;
    style = styles.get(style.basedOn);
  }
  return null;
}

function readStyles(content: Uint8Array, found: (id: string, style: Style) => void): void {
  let id = '';
  let basedOn = '';
  let level: number | null = null;
  readXml(content, {
    open: (tag) => {
      if (tag.name === 'style') {
        id = tag.attribute('type') === 'paragraph' ? tag.attribute('styleId') : '';
        [basedOn, level] = ['', null];
      }
      if (tag.name === 'basedOn') basedOn = tag.attribute('val');
      if (tag.name === 'outlineLvl') level = outlineLevel(tag.attribute('val'));
      if (tag.name === 'name') level ??= namedLevel(tag.attribute('val'));
    },
    close: (name) => {
      if (name === 'style' && id !== '') found(id, { basedOn, level });
    },
  });
}

function namedLevel(name: string): number | null {
  if (/^title$/i.test(name)) return 1;
  const [, level] = /^heading ([1-9])$/i.exec(name) ?? [];
  return level === undefined ? null : Number(level);
}
