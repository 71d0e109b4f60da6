import { CJK, kindAt, MARK, pieceEnd, pieceTokens, SPACE } from './tokens';

/** A part of a text, without white space around. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const ENDERS = new Set('.!?…');
/** Marks that end a sentence without a space after them. */
const CJK_ENDERS = new Set('。！？｡');
const CLOSERS = new Set('"\'”’»)]」』）');

/** The sentences of a part of a text. With `lines`, a line break ends a sentence. */
export function* sentences(text: string, start: number, end: number, lines: boolean): Generator<TextRange> {
  let from = skipSpace(text, start, end);
  let at = from;
  while (at < end) {
    const next = sentenceEnd(text, at, end, lines);
    if (next === null) {
      at += 1;
      continue;
    }
    if (next > from) yield { start: from, end: next };
    from = at = skipSpace(text, Math.max(next, at + 1), end);
  }
  const last = trimEnd(text, from, end);
  if (last > from) yield { start: from, end: last };
}

/** The end of the sentence whose last character, before closing marks, is at `at`; null if no sentence ends there. */
function sentenceEnd(text: string, at: number, end: number, lines: boolean): number | null {
  const kind = kindAt(text, at);
  if (kind !== MARK && kind !== SPACE) return null;
  const character = text.charAt(at);
  if (lines && character === '\n') return trimEnd(text, 0, at);
  const cjk = CJK_ENDERS.has(character);
  if (!cjk && !ENDERS.has(character)) return null;
  let to = at + 1;
  // More closing marks than these do not occur in real sentences.
  while (to < end && to < at + 8 && (CLOSERS.has(text.charAt(to)) || ENDERS.has(text.charAt(to)))) to += 1;
  if (cjk || to === end) return to;
  if (kindAt(text, to) !== SPACE) return null;
  const next = skipSpace(text, to, Math.min(end, to + 8));
  // Mostly an abbreviation within a sentence.
  return next < end && /\p{Ll}/u.test(text.charAt(next)) ? null : to;
}

/** The lines of a part of a text that are not blank, with their indentation. */
export function* linesOf(text: string, start: number, end: number): Generator<TextRange> {
  for (let from = start; from < end; ) {
    const newline = text.indexOf('\n', from);
    const stop = newline < 0 || newline > end ? end : newline;
    const last = trimEnd(text, from, stop);
    if (last > from) yield { start: from, end: last };
    from = stop + 1;
  }
}

/** The last end of a word up to `end` with at most `room` tokens before it; `start` if there is none. */
export function wordBorder(text: string, start: number, end: number, room: number): number {
  let border = start;
  let left = room;
  for (let at = start; at < end; ) {
    const next = pieceEnd(text, at, end);
    left -= pieceTokens(text, at, next);
    if (left < 0) return border;
    if (kindAt(text, at) !== SPACE && endsWord(text, at, next, end)) border = next;
    at = next;
  }
  return end;
}

/** The last end of a piece up to `end` with at most `room` tokens before it, but at least one piece. */
export function pieceBorder(text: string, start: number, end: number, room: number): number {
  let at = pieceEnd(text, start, end);
  let left = room - 1;
  while (at < end) {
    const next = pieceEnd(text, at, end);
    left -= pieceTokens(text, at, next);
    if (left < 0) break;
    at = next;
  }
  return at;
}

/** The first start of a word after `start` with at most `max` tokens up to `end`; null if there is none. */
export function wordStart(text: string, start: number, end: number, tokens: number, max: number): number | null {
  let left = tokens;
  for (let at = start; at < end; ) {
    if (at > start && left <= max && kindAt(text, at) !== SPACE && endsWord(text, at - 1, at, end)) return at;
    const next = pieceEnd(text, at, end);
    left -= pieceTokens(text, at, next);
    at = next;
  }
  return null;
}

/** True if a word ends at `next`, after the piece that begins at `at`. CJK text has no separators between words. */
function endsWord(text: string, at: number, next: number, end: number): boolean {
  if (next === end) return true;
  const after = kindAt(text, next);
  const before = kindAt(text, at);
  return after === SPACE || before === SPACE || after === CJK || (before === CJK && !CJK_ENDERS.has(text.charAt(next)));
}

export function skipSpace(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && kindAt(text, at) === SPACE) at += 1;
  return at;
}

function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && kindAt(text, at - 1) === SPACE) at -= 1;
  return at;
}
