import stem from 'wink-porter2-stemmer';

/** Longer words are keys or encoded data: their beginning is enough to find them. */
const MAX_TERM_CHARACTERS = 64;
/** Maximum cached stems; then the cache is cleared. */
const MAX_STEMS = 50_000;

const ASCII = /^[\0-\x7f]*$/;
/** Combining marks of Greek, Latin and Cyrillic; in other scripts marks are vowels. */
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
/** Words, including connectors of identifiers and apostrophes. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:[._'’][\p{L}\p{N}\p{M}]+)*/gu;
/** Scripts without blanks between words, and Korean, whose words have many endings. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED.source}`, 'u');
const HAN = /\p{Script=Han}/u;
/** Boundaries in camelCase and HTTPServer. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Most words, which need no splitting. */
const PLAIN = /^[A-Za-z]?[a-z0-9]+$/;

const stems = new Map<string, string>();

/**
 * The terms of a text, in order, with repetitions: words without case, diacritics and English endings; identifiers
 * whole and in parts; for scripts without blanks, character pairs, and single characters of Chinese.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of folded(text.normalize('NFKC')).matchAll(WORD)) addWord(word, terms);
  return terms;
}

/** English stop words. */
const STOP_WORDS =
  'a an and are as at be but by can did do does for from had has have how i if in is it its me my not of on or our should so that the their them there they this to was we were what when where which who why will with would you your';
let stopTerms: ReadonlySet<string> | null = null;

/** The distinct terms of a query. Stop words count only in a query of nothing else. */
export function questionTerms(question: string): string[] {
  const stop = (stopTerms ??= new Set(termsOf(STOP_WORDS)));
  const terms = [...new Set(termsOf(question))];
  const telling = terms.filter((term) => !stop.has(term));
  return telling.length === 0 ? terms : telling;
}

/** Whether a term is of a script without blanks, where two characters can be a word. */
export const isUnspaced = (term: string): boolean => !ASCII.test(term) && BEGINS_UNSPACED.test(term);

/** Without diacritics; upper case is kept, as it separates words. */
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

/** By code points, not code units. */
const beginning = (word: string): string =>
  word.length <= MAX_TERM_CHARACTERS
    ? word
    : [...word.slice(0, 2 * MAX_TERM_CHARACTERS)].slice(0, MAX_TERM_CHARACTERS).join('');

function lower(word: string): string {
  const small = word.toLowerCase();
  return ASCII.test(small) ? small : small.replace(LETTERS, (letter) => SPELT[letter] ?? letter);
}

function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const made = stem(word);
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(word, made);
  return made;
}
