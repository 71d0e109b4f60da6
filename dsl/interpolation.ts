import { ExpressionError } from './expression/error';

/** A part of a string: literal text, or the source between braces. */
type Piece = { kind: 'literal'; text: string } | { kind: 'expression'; source: string };

const OPEN = '{{';

/** True when the string contains an expression; `\{{` is a literal. A string with unclosed braces counts too. */
export function hasExpression(text: string): boolean {
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, open + OPEN.length)) {
    if (backslashesBefore(text, open) !== 1) return true;
  }
  return false;
}

/**
 * Splits a string into literals and expressions. `\{{` stands for a literal `{{`, and `\\{{` for a backslash before an
 * expression. Throws ExpressionError for unclosed braces.
 */
export function splitInterpolation(text: string): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  let position = 0;
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, position)) {
    const backslashes = backslashesBefore(text, open);
    literal += text.slice(position, open - backslashes);
    if (backslashes === 1) {
      literal += OPEN;
      position = open + OPEN.length;
      continue;
    }
    if (backslashes === 2) literal += '\\';
    const close = closingBraces(text, open + OPEN.length);
    if (literal !== '') pieces.push({ kind: 'literal', text: literal });
    pieces.push({ kind: 'expression', source: text.slice(open + OPEN.length, close) });
    literal = '';
    position = close + OPEN.length;
  }
  literal += text.slice(position);
  if (literal !== '' || pieces.length === 0) pieces.push({ kind: 'literal', text: literal });
  return pieces;
}

const backslashesBefore = (text: string, open: number): 0 | 1 | 2 => {
  if (text[open - 1] !== '\\') return 0;
  return text[open - 2] === '\\' ? 2 : 1;
};

/** Position of the closing `}}` of an expression: outside quotes, and outside braces of objects. */
function closingBraces(text: string, start: number): number {
  let depth = 0;
  let quote: string | null = null;
  for (let position = start; position < text.length; position++) {
    const character = text[position];
    if (quote !== null) {
      if (character === '\\') position += 1;
      else if (character === quote) quote = null;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === '}' && text[position + 1] === '}') return position;
  }
  const reason = quote === null ? 'the braces {{ are never closed' : 'a text inside {{ has no closing quote';
  throw new ExpressionError(`${reason}; for a literal {{ write \\{{`, text, start - OPEN.length);
}
