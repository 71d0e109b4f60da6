import { ExpressionError } from './expression/error';

/** A piece of a string: text as it stands, or the source between braces. */
export type Piece = { kind: 'literal'; text: string } | { kind: 'expression'; source: string };

const OPEN = '{{';

/** True when the string holds an expression; `\{{` is a literal. A string whose braces never close counts too. */
export function holdsExpression(text: string): boolean {
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, open + OPEN.length)) {
    if (backslashesBefore(text, open) !== 1) return true;
  }
  return false;
}

/**
 * Cuts a string at its expressions. `\{{` stands for a literal `{{`, and `\\{{` for a backslash before an expression.
 * Throws ExpressionError when braces do not close.
 */
export function splitBraces(text: string): Piece[] {
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

/** Where the `}}` of an expression begins: outside quotes, and outside the braces of an object. */
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
