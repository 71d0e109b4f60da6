import { stem } from './stem';

/**
 * Which rules texts were cut into terms by. An index by other rules is another index: whoever changes what `termsOf`
 * answers raises this number, and sweeps then fill the new one.
 */
export const ANALYZER_VERSION = 1;

/** Longer words are keys, encodings and the like: their beginning is enough to find them by. */
const LONGEST = 64;
/** Stems that are remembered, as most words of a text are of few; then it begins anew. */
const STEMS = 50_000;

const ASCII = /^[\0-\x7f]*$/;
/** Marks over and under letters of Greek, Latin and Cyrillic; in other scripts marks are vowels. */
const DIACRITICS = /[\u0300-\u036f]/g;
const LETTERS = /[ßæœøłđðþı]/g;
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
/** Words, with what joins the parts of identifiers, and apostrophes. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:[._'’][\p{L}\p{N}\p{M}]+)*/gu;
/** Scripts that put no blanks between words, and Korean, whose words take many endings. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED.source}`, 'u');
const HAN = /\p{Script=Han}/u;
/** Between the words of camelCase and HTTPServer. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Most words: nothing in them to be parted. */
const PLAIN = /^[A-Za-z]?[a-z0-9]+$/;

const stems = new Map<string, string>();

/**
 * The terms of a text, in its order, each as often as it is there: words without case, diacritics and English endings;
 * identifiers whole and in parts; of scripts without blanks, pairs of characters, and single ones of Chinese.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of folded(text.normalize('NFKC')).matchAll(WORD)) addWord(word, terms);
  return terms;
}

/** Whether a term is of a script without blanks, where even two characters are a word. */
export const isUnspaced = (term: string): boolean => !ASCII.test(term) && BEGINS_UNSPACED.test(term);

/** Without diacritics; large letters stay, as they part words. */
function folded(text: string): string {
  if (ASCII.test(text)) return text;
  return text.normalize('NFD').replace(DIACRITICS, '').normalize('NFC');
}

function addWord(word: string, terms: string[]): void {
  if (PLAIN.test(word)) return void terms.push(stemOf(beginning(word.toLowerCase())));
  if (ASCII.test(word)) return addIdentifier(word, terms);
  let from = 0;
  for (const match of word.matchAll(UNSPACED)) {
    if (match.index > from) addIdentifier(word.slice(from, match.index), terms);
    addPairs([...match[0]], terms);
    from = match.index + match[0].length;
  }
  if (from < word.length) addIdentifier(word.slice(from), terms);
}

function addPairs(characters: readonly string[], terms: string[]): void {
  characters.forEach((character, n) => {
    if (characters.length === 1 || HAN.test(character)) terms.push(character);
    if (n > 0) terms.push(`${characters[n - 1]}${character}`);
  });
}

function addIdentifier(joined: string, terms: string[]): void {
  const plain = joined.replace(/['’](?:s|S)?(?=[._]|$)/g, '').replace(/['’]/g, '');
  const parts = plain.split(/[._]/).flatMap((part) => part.split(HUMPS));
  if (parts.length > 1) terms.push(beginning(lower(plain)));
  for (const part of parts) if (part !== '') terms.push(stemOf(beginning(lower(part))));
}

/** By characters, as half of one is not text. */
const beginning = (word: string): string =>
  word.length <= LONGEST ? word : [...word.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('');

function lower(word: string): string {
  const small = word.toLowerCase();
  return ASCII.test(small) ? small : small.replace(LETTERS, (letter) => SPELT[letter] ?? letter);
}

function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const made = stem(word);
  if (stems.size >= STEMS) stems.clear();
  stems.set(word, made);
  return made;
}
