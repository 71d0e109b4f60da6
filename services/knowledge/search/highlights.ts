import { questionTerms, termsOf } from '../../../lib/search/terms';

/** A matched range of a text: UTF-16 offsets, `end` exclusive. */
interface Highlight {
  start: number;
  end: number;
}

/** Per text. */
const MAX_HIGHLIGHTS = 40;

const WORD = /[\p{L}\p{N}\p{M}]+(?:[._'’][\p{L}\p{N}\p{M}]+)*/gu;
/** Characters of scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
/** One character of such a script, or any other character that is not a joiner of identifiers. */
const PIECE = new RegExp(`${UNSPACED.source}|[^\\s._'’]`, 'gu');

/** Terms of a query to highlight. */
export function highlightTerms(query: string): ReadonlySet<string> {
  const terms = questionTerms(query);
  const isPaired = terms.some((term) => term.length > 1 && UNSPACED.test(term));
  const marked = terms.filter((term) => !(isPaired && isSingleUnspaced(term)));
  return new Set(marked.length === 0 ? terms : marked);
}

/** Single characters of unspaced scripts are skipped if the query has pairs of them. */
const isSingleUnspaced = (term: string): boolean => [...term].length === 1 && UNSPACED.test(term);

/**
 * Finds the terms of a query in a text, normalized like in the index (case, accents, stemming). Returns at most 40 ranges
 * that do not overlap, in text order. Pure.
 */
export function highlightsOf(text: string, terms: ReadonlySet<string>): Highlight[] {
  const found: Highlight[] = [];
  if (terms.size === 0) return found;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    for (const { start, end } of highlightsInWord(word, terms)) {
      const last = found.at(-1);
      // Adjacent pairs of characters overlap: merge them.
      if (last !== undefined && last.end >= index + start && last.end > index)
        last.end = Math.max(last.end, index + end);
      else found.push({ start: index + start, end: index + end });
    }
    if (found.length >= MAX_HIGHLIGHTS) return found.slice(0, MAX_HIGHLIGHTS);
  }
  return found;
}

/** Ranges in one word: the whole word or its matching part; in unspaced scripts, the matching pairs and characters. */
function highlightsInWord(word: string, terms: ReadonlySet<string>): Highlight[] {
  if (!UNSPACED.test(word)) return hasAnyTerm(word, terms) ? [matchedPart(word, terms)] : [];
  const pieces = piecesOf(word);
  return pieces.flatMap(({ start, end }, n) => {
    const next = pieces[n + 1];
    const pair = next !== undefined && next.start === end ? [{ start, end: next.end }] : [];
    return [...pair, { start, end }]
      .filter((place) => isOwnTerm(word.slice(place.start, place.end), terms))
      .slice(0, 1);
  });
}

/** The part of a joined identifier that matches, if exactly one does; otherwise the whole word. */
function matchedPart(word: string, terms: ReadonlySet<string>): Highlight {
  const parts = [...word.matchAll(/[^._'’]+/gu)].map(({ 0: part, index }) => ({
    start: index,
    end: index + part.length,
  }));
  const matching = parts.filter(({ start, end }) => hasAnyTerm(word.slice(start, end), terms));
  const [only] = matching;
  return only !== undefined && matching.length === 1 ? only : { start: 0, end: word.length };
}

const hasAnyTerm = (word: string, terms: ReadonlySet<string>): boolean => termsOf(word).some((term) => terms.has(term));

/** True if the piece itself is a term. A pair does not match because one of its characters does. */
const isOwnTerm = (piece: string, terms: ReadonlySet<string>): boolean => {
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
