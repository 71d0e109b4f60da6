import { TimeSlice } from '../time-slices';
import { JsonError } from './limits';

const BLANK = /[ \t\n\r]*/y;
// Each plain part of the string is followed by an escape, so there is one way to match, and matching takes linear
// time; `(?:plain+|escape)*` would take exponential time over a string that is not closed.
const SCALAR =
  /"[\u0020\u0021\u0023-\u005b\u005d-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[\u0020\u0021\u0023-\u005b\u005d-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const MAX_LENGTH = 1_000_000;
const TOKENS_BETWEEN_YIELDS = 2_000;

type Want = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end';

/** The error for a text that is invalid from an offset on. */
export function syntaxError(text: string, offset: number): JsonError {
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < offset; at += 1) {
    if (text.charCodeAt(at) !== 0x0a) continue;
    line += 1;
    lineStart = at + 1;
  }
  return new JsonError({ kind: 'syntax', offset, line, column: offset - lineStart + 1 });
}

/** The offset at which a text stops being valid JSON (RFC 8259); null for valid text. For short texts. */
export function faultOffset(text: string): number | null {
  const search = findFault(text);
  for (;;) {
    const { done, value } = search.next();
    if (done === true) return value;
  }
}

/** The same for longer texts, in slices; null also for a text that is too long to check. */
export async function faultOffsetSliced(text: string): Promise<number | null> {
  if (text.length > MAX_LENGTH) return null;
  const slice = new TimeSlice();
  const search = findFault(text);
  for (;;) {
    const { done, value } = search.next();
    if (done === true) return value;
    if (slice.due) await slice.pause();
  }
}

function* findFault(text: string): Generator<undefined, number | null> {
  const open: ('[' | '{')[] = [];
  let want: Want = 'value';
  let at = skip(BLANK, text, 0);
  for (let tokens = 1; at < text.length; tokens += 1) {
    if (tokens % TOKENS_BETWEEN_YIELDS === 0) yield;
    const char = text[at] as string;
    const next: Want | null = wanted(want, char, open);
    if (next !== null) {
      at += 1;
      want = next;
    } else if (want === 'key' || want === 'key or }') {
      const end = char === '"' ? skip(SCALAR, text, at) : at;
      if (end === at) return at;
      at = end;
      want = ':';
    } else if (want === 'value' || want === 'value or ]') {
      const end = skip(SCALAR, text, at);
      if (end === at) return at;
      at = end;
      want = afterValue(open);
    } else {
      return at;
    }
    at = skip(BLANK, text, at);
  }
  return want === 'end' ? null : at;
}

/** What may follow a structural character; null when the character is invalid here. */
function wanted(want: Want, char: string, open: ('[' | '{')[]): Want | null {
  if (char === ':' && want === ':') return 'value';
  if (char === ',' && want === ', or ]') return 'value';
  if (char === ',' && want === ', or }') return 'key';
  if (
    (char === ']' && (want === ', or ]' || want === 'value or ]')) ||
    (char === '}' && (want === ', or }' || want === 'key or }'))
  ) {
    open.pop();
    return afterValue(open);
  }
  if ((char === '[' || char === '{') && (want === 'value' || want === 'value or ]')) {
    open.push(char);
    return char === '[' ? 'value or ]' : 'key or }';
  }
  return null;
}

const afterValue = (open: readonly string[]): Want => {
  const inside = open.at(-1);
  return inside === undefined ? 'end' : inside === '[' ? ', or ]' : ', or }';
};

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
