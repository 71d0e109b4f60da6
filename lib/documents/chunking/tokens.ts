/**
 * Estimates the number of tokens of a text without the vocabulary of a model. A piece is one token: at most six Latin
 * letters, three letters of another alphabet, three digits, one CJK character, or one mark. Eight white-space characters in
 * a row are one token. The tokenizers of models mostly give fewer tokens for prose, and more for keys and encoded bytes.
 *
 * The tokens of a text are the sum of the tokens of its parts, if no part begins inside a piece.
 */

/** Kinds of UTF-16 units. */
const UNKNOWN = 0;
export const SPACE = 1;
const LATIN = 2;
const LETTER = 3;
const DIGIT = 4;
export const CJK = 5;
export const MARK = 6;
const HIGH_SURROGATE = 7;

/** Maximum number of units of a piece, by kind. A pair of surrogates is one piece. */
const PIECE: readonly number[] = [1, 8, 6, 3, 3, 1, 1, 2];

const kinds = new Uint8Array(0x10000);

/** The kind of the unit at an index. Kinds are cached by character. */
export function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const known = kinds[code] as number;
  return known === UNKNOWN ? (kinds[code] = kindOf(code)) : known;
}

const isCjk = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff);

function kindOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdbff) return HIGH_SURROGATE;
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return SPACE;
  if (/\p{N}/u.test(character)) return DIGIT;
  if (!/[\p{L}\p{M}]/u.test(character)) return MARK;
  if (isCjk(code)) return CJK;
  return code < 0x250 ? LATIN : LETTER;
}

/** The end of the piece that begins at `at`, at most `end`. */
export function pieceEnd(text: string, at: number, end: number): number {
  const kind = kindAt(text, at);
  if (kind === HIGH_SURROGATE) {
    const next = at + 1 < end ? text.charCodeAt(at + 1) : 0;
    return next >= 0xdc00 && next <= 0xdfff ? at + 2 : at + 1;
  }
  const max = Math.min(end, at + (PIECE[kind] as number));
  let to = at + 1;
  while (to < max && kindAt(text, to) === kind) to += 1;
  return to;
}

/** Tokens of a piece. */
export const pieceTokens = (text: string, at: number, end: number): number =>
  kindAt(text, at) === SPACE && end - at < (PIECE[SPACE] as number) ? 0 : 1;

/** Tokens of a part of a text. */
export function countTokens(text: string, start = 0, end: number = text.length): number {
  let tokens = 0;
  let kind = UNKNOWN;
  let left = 0;
  // The same as adding up pieces, without a call for each, as texts are counted several times.
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const next = (kinds[code] as number) || kindAt(text, at);
    if (next === kind && left > 0 && kind !== HIGH_SURROGATE) {
      left -= 1;
      if (next === SPACE && left === 0) tokens += 1;
      continue;
    }
    if (kind === HIGH_SURROGATE && left > 0 && code >= 0xdc00 && code <= 0xdfff) {
      left = 0;
      continue;
    }
    kind = next;
    left = (PIECE[next] as number) - 1;
    if (next !== SPACE) tokens += 1;
  }
  return tokens;
}
