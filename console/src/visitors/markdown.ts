/** Part of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly parts: readonly Inline[] }
  | { readonly kind: 'break' };

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Inline[])[];
    };

/** Longer texts are shown as they are. */
export const MAX_MARKDOWN_CHARS = 50_000;
const MAX_LABEL_CHARS = 500;
const MAX_ADDRESS_CHARS = 2_000;
const MAX_DEPTH = 3;

const HEADING = /^#{1,6} +(.+)$/;
const BULLET = /^\s{0,3}[-*+] +(.+)$/;
const NUMBERED = /^\s{0,3}(\d{1,9})[.)] +(.+)$/;
const FENCE = /^\s{0,3}```/;

/**
 * The structure of a text in a subset of Markdown: paragraphs, headings, lists, code, strong and emphasized text, and links
 * to web and mail addresses. Everything else stays text, HTML too. Takes linear time. Pure.
 */
export function parseMarkdown(text: string): Block[] {
  if (text.length > MAX_MARKDOWN_CHARS) return [{ kind: 'paragraph', parts: lines(text.split('\n'), plain) }];
  const rows = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  /** Takes the rows from here on that fit. */
  const take = (fits: (row: string) => boolean): string[] => {
    const from = at;
    while (at < rows.length && fits(rows[at] ?? '')) at++;
    return rows.slice(from, at);
  };
  while (at < rows.length) {
    const row = rows[at] ?? '';
    const heading = HEADING.exec(row);
    if (row.trim() === '') at++;
    else if (FENCE.test(row)) {
      at++;
      blocks.push({ kind: 'code', text: take((next) => !FENCE.test(next)).join('\n') });
      at++;
    } else if (heading !== null) {
      at++;
      blocks.push({ kind: 'heading', parts: inline(heading[1] ?? '') });
    } else if (BULLET.test(row)) {
      const items = take((next) => BULLET.test(next)).map((next) => inline(BULLET.exec(next)?.[1] ?? ''));
      blocks.push({ kind: 'list', ordered: false, start: 1, items });
    } else if (NUMBERED.test(row)) {
      const start = Number(NUMBERED.exec(row)?.[1]);
      const items = take((next) => NUMBERED.test(next)).map((next) => inline(NUMBERED.exec(next)?.[2] ?? ''));
      blocks.push({ kind: 'list', ordered: true, start, items });
    } else blocks.push({ kind: 'paragraph', parts: lines(take(isOfParagraph), inline) });
  }
  return blocks;
}

const isOfParagraph = (row: string): boolean =>
  row.trim() !== '' && ![HEADING, BULLET, NUMBERED, FENCE].some((other) => other.test(row));

const plain = (text: string): Inline[] => (text === '' ? [] : [{ kind: 'text', text }]);

const lines = (rows: readonly string[], parse: (row: string) => Inline[]): Inline[] =>
  rows.flatMap((row, index): Inline[] => (index === 0 ? parse(row) : [{ kind: 'break' }, ...parse(row)]));

interface Found {
  readonly part: Inline;
  readonly end: number;
}

function inline(text: string, depth = 0): Inline[] {
  const parts: Inline[] = [];
  /** Marks that are not closed from here on: each is looked for once. */
  const unclosed = new Set<string>();
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const found = depth < MAX_DEPTH ? partAt(text, at, depth, unclosed) : null;
    if (found === null) {
      at++;
      continue;
    }
    parts.push(...plain(text.slice(from, at)), found.part);
    from = at = found.end;
  }
  return [...parts, ...plain(text.slice(from))];
}

function partAt(text: string, at: number, depth: number, unclosed: Set<string>): Found | null {
  switch (text[at]) {
    case '`':
      return enclosed(text, at, '`', unclosed, (inner) => ({ kind: 'code', text: inner }));
    case '*':
      return (
        enclosed(text, at, '**', unclosed, (inner) => ({ kind: 'strong', parts: inline(inner, depth + 1) })) ??
        enclosed(text, at, '*', unclosed, (inner) => ({ kind: 'em', parts: inline(inner, depth + 1) }))
      );
    case '[':
      return linkAt(text, at, depth);
    case 'h':
      return addressAt(text, at);
    default:
      return null;
  }
}

/** A text between two marks; neither begins nor ends with a space. */
function enclosed(
  text: string,
  at: number,
  mark: string,
  unclosed: Set<string>,
  part: (inner: string) => Inline,
): Found | null {
  if (!text.startsWith(mark, at) || unclosed.has(mark)) return null;
  const begin = at + mark.length;
  const end = text.indexOf(mark, begin);
  if (end < 0) unclosed.add(mark);
  const inner = end < 0 ? '' : text.slice(begin, end);
  if (inner === '' || inner.trim() !== inner) return null;
  return { part: part(inner), end: end + mark.length };
}

function linkAt(text: string, at: number, depth: number): Found | null {
  const window = text.slice(at, at + MAX_LABEL_CHARS + MAX_ADDRESS_CHARS);
  const middle = window.indexOf('](');
  if (middle < 1 || middle > MAX_LABEL_CHARS) return null;
  const end = window.indexOf(')', middle);
  const href = end < 0 ? null : safeAddress(window.slice(middle + 2, end));
  if (href === null) return null;
  return { part: { kind: 'link', href, parts: inline(window.slice(1, middle), depth + 1) }, end: at + end + 1 };
}

const ADDRESS = /https?:\/\/[^\s<>"`]{1,2000}/y;

function addressAt(text: string, at: number): Found | null {
  if (/\w/.test(text[at - 1] ?? '')) return null;
  ADDRESS.lastIndex = at;
  const shown = ADDRESS.exec(text)?.[0].replace(/[.,;:!?'*)\]]{1,10}$/, '');
  const href = shown === undefined ? null : safeAddress(shown);
  if (shown === undefined || href === null) return null;
  return { part: { kind: 'link', href, parts: plain(shown) }, end: at + shown.length };
}

/** An address that may be opened; null for others, such as `javascript:`. */
function safeAddress(text: string): string | null {
  const { protocol, href } = URL.parse(text.trim()) ?? { protocol: '', href: '' };
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : null;
}
