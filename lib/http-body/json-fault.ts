const BLANK = /[ \t\n\r]*/y;
// The string's plain parts are kept apart by an escape each, so there is one way to read a text and a look takes linear
// time; `(?:plain+|escape)*` would take for ever over a string that is not closed.
const SCALAR =
  /"[\u0020\u0021\u0023-\u005b\u005d-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[\u0020\u0021\u0023-\u005b\u005d-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const LONGEST = 1_000_000;

type Want = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end';

/**
 * Where a text stops being JSON (RFC 8259), as a line and a column from 1; null when it does not, or is so long that
 * looking would cost too much. For messages only: what the runtime's own parser says seldom has a place.
 */
export function jsonFault(text: string): { line: number; column: number } | null {
  const at = text.length > LONGEST ? null : faultOffset(text);
  if (at === null) return null;
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

function faultOffset(text: string): number | null {
  const open: ('[' | '{')[] = [];
  let want: Want = 'value';
  let at = skip(BLANK, text, 0);
  while (at < text.length) {
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

/** What is wanted after a structural character that fits here; null when it does not fit or is none. */
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
