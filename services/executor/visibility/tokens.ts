import { faultAt } from './fault';

/** `word`: a keyword or a field, as written. `span`: a duration such as `1h30m`. */
export type Token = { readonly at: number } & (
  | { readonly kind: 'word' | 'text' | 'span' | 'symbol'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'end' }
);

const SPACE = /\s*/y;
const SPAN = /(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+(?!\w)/iy;
const NUMBER = /-?\d+(?:\.\d+)?(?![\w.])/y;
/** A field; one of a label has its name after a dot. */
const WORD = /[A-Za-z_]\w*(?:\.[A-Za-z][\w-]*)?|`[A-Za-z_]\w*(?:\.[A-Za-z][\w-]*)?`/y;
const SYMBOL = /<=|>=|<>|!=|[=<>(),+-]/y;
/** In a quoted text, a quote is escaped by a second quote or a backslash. */
const TEXT = /'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)"/suy;

/** The tokens of a query, the last of kind `end`. @throws AppError invalid_query */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  const take = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(query);
  };
  for (let at = 0; ; ) {
    at += take(SPACE, at)?.[0].length ?? 0;
    if (at >= query.length) return [...tokens, { kind: 'end', at }];
    const text = take(TEXT, at);
    const span = text ?? take(SPAN, at);
    const number = span ?? take(NUMBER, at);
    const word = number ?? take(WORD, at);
    const found = word ?? take(SYMBOL, at);
    if (found === null) throw faultAt(at, wordsFor(query[at] as string));
    const [whole] = found;
    if (text !== null) tokens.push({ kind: 'text', value: unquoted(text), at });
    else if (span !== null) tokens.push({ kind: 'span', value: whole.toLowerCase(), at });
    else if (number !== null) tokens.push({ kind: 'number', value: Number(whole), at });
    else if (word !== null) tokens.push({ kind: 'word', value: whole.replaceAll('`', ''), at });
    else tokens.push({ kind: 'symbol', value: whole, at });
    at += whole.length;
  }
}

const unquoted = ([, single, double]: RegExpExecArray): string =>
  (single?.replaceAll("''", "'") ?? double?.replaceAll('""', '"') ?? '').replace(/\\(.)/gsu, '$1');

const wordsFor = (character: string): string =>
  character === "'" || character === '"'
    ? 'the text is not closed'
    : `${JSON.stringify(character)} has no meaning here`;
