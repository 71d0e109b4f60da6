import { ExpressionError } from './error';

/** `name` is an identifier; `member` a name or digits straight after a dot; `symbol` anything else of the grammar. */
export type Token = { position: number; end: number } & (
  | { kind: 'number'; value: number }
  | { kind: 'text' | 'name' | 'member' | 'symbol' | 'end'; value: string }
);

const SPACE = /\s+/y;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const NAME = /[A-Za-z_]\w*/y;
// Ids of steps and names of headers may hold hyphens, so a minus after a path needs a space before it.
const MEMBER = /\.\s*\w+(?:-+\w+)*/y;
const SYMBOL = /\?\?|\|\||&&|==|!=|<=|>=|[-+*/%!<>?:|,.()[\]{}]/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
  ['/', '/'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
]);

/** The tokens of an expression, the last of kind `end`. Throws ExpressionError on anything that is not of the grammar. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let position = skipSpace(source, 0);
  while (position < source.length) {
    const token = readToken(source, position);
    tokens.push(token);
    position = skipSpace(source, token.end);
  }
  tokens.push({ kind: 'end', value: '', position, end: position });
  return tokens;
}

const skipSpace = (source: string, position: number): number =>
  position + (matchAt(SPACE, source, position)?.length ?? 0);

const matchAt = (pattern: RegExp, source: string, position: number): string | undefined => {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0];
};

function readToken(source: string, position: number): Token {
  const first = source[position] as string;
  if (first === '"' || first === "'") return readText(source, position);
  const number = matchAt(NUMBER, source, position);
  if (number !== undefined) return numberToken(number, source, position);
  const name = matchAt(NAME, source, position);
  if (name !== undefined) return { kind: 'name', value: name, position, end: position + name.length };
  const member = matchAt(MEMBER, source, position);
  if (member !== undefined) {
    return { kind: 'member', value: member.slice(1).trimStart(), position, end: position + member.length };
  }
  const symbol = matchAt(SYMBOL, source, position);
  if (symbol !== undefined) return { kind: 'symbol', value: symbol, position, end: position + symbol.length };
  throw new ExpressionError(unexpected(first), source, position);
}

function numberToken(text: string, source: string, position: number): Token {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new ExpressionError('the number is too large', source, position);
  return { kind: 'number', value, position, end: position + text.length };
}

const unexpected = (character: string): string => {
  if (character === '=') return 'there is no assignment; to compare, write ==';
  if (character === '&') return 'unexpected &; "and" is written &&';
  return `unexpected character ${JSON.stringify(character)}`;
};

function readText(source: string, start: number): Token {
  const quote = source[start];
  let value = '';
  let position = start + 1;
  for (;;) {
    const character = source[position];
    if (character === undefined) throw new ExpressionError('the text has no closing quote', source, start);
    if (character === quote) break;
    if (character !== '\\') {
      value += character;
      position += 1;
      continue;
    }
    const escape = readEscape(source, position);
    value += escape.value;
    position += escape.length;
  }
  return { kind: 'text', value, position: start, end: position + 1 };
}

function readEscape(source: string, position: number): { value: string; length: number } {
  const letter = source[position + 1] ?? '';
  const simple = ESCAPES.get(letter);
  if (simple !== undefined) return { value: simple, length: 2 };
  const code = source.slice(position + 2, position + 6);
  if (letter === 'u' && /^[\da-fA-F]{4}$/.test(code)) {
    return { value: String.fromCharCode(Number.parseInt(code, 16)), length: 6 };
  }
  throw new ExpressionError(
    'unknown escape; known are \\n \\r \\t \\b \\f \\/ \\\\ \\" \\\' \\uXXXX',
    source,
    position,
  );
}
