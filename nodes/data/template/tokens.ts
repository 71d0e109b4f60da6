import { misconfigured } from '../computed';

/** A piece of a template: text, or the content of a tag, split into its sign and the rest. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tag'; readonly sign: string; readonly name: string; readonly line: number };

const OPEN = '<%';
const CLOSE = '%>';
/** Signs of tags that put nothing out themselves. */
const SILENT: ReadonlySet<string> = new Set(['#', '^', '/', '!']);

/** Splits a template; lines that hold nothing but tags that put nothing out leave nothing behind. @throws Refusal */
export function tokensOf(template: string): Token[] {
  return linesOf(split(template)).flatMap((line) => {
    const tags = line.filter(({ kind }) => kind === 'tag');
    const empty = line.every((token) => (token.kind === 'tag' ? SILENT.has(token.sign) : token.text.trim() === ''));
    return tags.length > 0 && empty ? tags : line;
  });
}

/** Tokens by lines of the text; what breaks lines inside a tag does not count. */
function linesOf(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  const add = (token: Token): void => {
    lines.at(-1)?.push(token);
  };
  for (const token of tokens) {
    if (token.kind === 'tag') {
      add(token);
      continue;
    }
    for (const text of token.text.split(/(?<=\n)/)) {
      add({ kind: 'text', text });
      if (text.endsWith('\n')) lines.push([]);
    }
  }
  return lines;
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
