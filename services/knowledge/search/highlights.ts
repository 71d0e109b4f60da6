import { questionTerms, termsOf } from '../../../lib/search/terms';

/** A place in a text that answers a question: offsets (UTF-16), `end` exclusive. */
interface Highlight {
  start: number;
  end: number;
}

/** More of them would mark the whole text. */
const MAX_HIGHLIGHTS = 40;

const WORD = /[\p{L}\p{N}\p{M}]+(?:[._'’][\p{L}\p{N}\p{M}]+)*/gu;
/** Characters of scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
/** Pieces of a word: single characters of such scripts, and what stands between them and what joins identifiers. */
const PIECE = new RegExp(`${UNSPACED.source}|[^\\s._'’]`, 'gu');

/** The terms that are worth marking. */
export function markedTerms(query: string): ReadonlySet<string> {
  const terms = questionTerms(query);
  const isPaired = terms.some((term) => term.length > 1 && UNSPACED.test(term));
  const marked = terms.filter((term) => !(isPaired && isOne(term)));
  return new Set(marked.length === 0 ? terms : marked);
}

/** A single character that pairs with the next one says little by itself. */
const isOne = (term: string): boolean => [...term].length === 1 && UNSPACED.test(term);

/**
 * Where the words of a query stand in a text, as the index sees words: without case, accents and endings. At most 40
 * places, in the order of the text, none within another. Pure.
 */
export function highlightsOf(text: string, terms: ReadonlySet<string>): Highlight[] {
  const found: Highlight[] = [];
  if (terms.size === 0) return found;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    for (const { start, end } of inWord(word, terms)) {
      const last = found.at(-1);
      // Pairs of characters overlap.
      if (last !== undefined && last.end >= index + start && last.end > index)
        last.end = Math.max(last.end, index + end);
      else found.push({ start: index + start, end: index + end });
    }
    if (found.length >= MAX_HIGHLIGHTS) return found.slice(0, MAX_HIGHLIGHTS);
  }
  return found;
}

/** Of a word that is one as a whole, its place; else those of its parts. */
function inWord(word: string, terms: ReadonlySet<string>): Highlight[] {
  if (!UNSPACED.test(word)) return isAny(word, terms) ? [partOf(word, terms)] : [];
  const pieces = piecesOf(word);
  return pieces.flatMap(({ start, end }, n) => {
    const next = pieces[n + 1];
    const pair = next !== undefined && next.start === end ? [{ start, end: next.end }] : [];
    return [...pair, { start, end }].filter((place) => hasOwn(word.slice(place.start, place.end), terms)).slice(0, 1);
  });
}

/** The one part of a joined word that is meant, where it is one; else all of it. */
function partOf(word: string, terms: ReadonlySet<string>): Highlight {
  const parts = [...word.matchAll(/[^._'’]+/gu)].map(({ 0: part, index }) => ({
    start: index,
    end: index + part.length,
  }));
  const meant = parts.filter(({ start, end }) => isAny(word.slice(start, end), terms));
  const [only] = meant;
  return only !== undefined && meant.length === 1 ? only : { start: 0, end: word.length };
}

const isAny = (word: string, terms: ReadonlySet<string>): boolean => termsOf(word).some((term) => terms.has(term));

/** The piece itself is a term; a pair is not one for having a character that is. */
const hasOwn = (piece: string, terms: ReadonlySet<string>): boolean => {
  const own = termsOf(piece);
  return own.length === 1 ? terms.has(own[0] as string) : own.some((term) => [...term].length > 1 && terms.has(term));
};

function piecesOf(word: string): Highlight[] {
  const pieces: Highlight[] = [];
  let open = false;
  for (const { 0: character, index } of word.matchAll(PIECE)) {
    const alone = UNSPACED.test(character);
    const last = pieces.at(-1);
    if (!alone && open && last?.end === index) last.end = index + character.length;
    else pieces.push({ start: index, end: index + character.length });
    open = !alone;
  }
  return pieces;
}
