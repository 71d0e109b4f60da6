import { misconfigured } from '../computed';

/** A piece of a template: text, or what stands in a tag, split into its first sign and the rest. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tag'; readonly sign: string; readonly name: string; readonly line: number };

const OPEN = '<%';
const CLOSE = '%>';
/** Signs of tags that put nothing out themselves. */
const SILENT: ReadonlySet<string> = new Set(['#', '^', '/', '!']);

/** Splits a template; a tag that puts nothing out and stands alone takes its line with it. @throws Refusal */
export function tokensOf(template: string): Token[] {
  const tokens = split(template);
  return tokens.map((token, index) => (token.kind === 'text' ? trimmed(tokens, index, token.text) : token));
}

function split(template: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const take = (end: number): string => {
    const piece = template.slice(at, end);
    at = end;
    line += piece.split('\n').length - 1;
    return piece;
  };
  while (at < template.length) {
    const start = template.indexOf(OPEN, at);
    const text = take(start === -1 ? template.length : start);
    if (text !== '') tokens.push({ kind: 'text', text });
    if (start === -1) break;
    const end = template.indexOf(CLOSE, start + OPEN.length);
    if (end === -1) throw misconfigured(`line ${line}: the tag is never closed by ${CLOSE}`);
    const opened = line;
    const inside = take(end + CLOSE.length).slice(OPEN.length, -CLOSE.length);
    const sign = /^[#^/!&>=]/.exec(inside)?.[0] ?? '';
    tokens.push({ kind: 'tag', sign, name: inside.slice(sign.length).trim(), line: opened });
  }
  return tokens;
}

/** A text without what belongs to the lines of tags that stand alone before and after it. */
function trimmed(tokens: readonly Token[], index: number, text: string): Token {
  const start = standsAlone(tokens, index - 1) ? (/^[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0) : 0;
  const end = standsAlone(tokens, index + 1) ? text.lastIndexOf('\n') + 1 : text.length;
  return { kind: 'text', text: text.slice(start, Math.max(start, end)) };
}

function standsAlone(tokens: readonly Token[], index: number): boolean {
  const tag = tokens[index];
  if (tag?.kind !== 'tag' || !SILENT.has(tag.sign)) return false;
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  const begins =
    before === undefined ||
    (before.kind === 'text' && (index === 1 ? /(?:^|\n)[ \t]*$/ : /\n[ \t]*$/).test(before.text));
  const last = index + 2 >= tokens.length;
  const ends =
    after === undefined || (after.kind === 'text' && (last ? /^[ \t]*(?:\r?\n|$)/ : /^[ \t]*\r?\n/).test(after.text));
  return begins && ends;
}
