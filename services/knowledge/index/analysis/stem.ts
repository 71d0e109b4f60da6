/**
 * Stems of English words: the Porter2 algorithm of the Snowball project (snowballstem.org, "The English (Porter2)
 * stemming algorithm"). Words of other languages lose an ending now and then, the same one in texts and questions.
 */

const WHOLE: ReadonlyMap<string, string> = new Map([
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
]);
/** Words that are done once their plural is gone. */
const DONE = /^(?:(?:inn|out|cann|herr|earr)ing|(?:proc|exc|succ)eed)$/;
/** Beginnings whose region R1 is what follows them, whatever the rule says. */
const BEGINNING = /^(?:gener|commun|arsen)/;
const AFTER_VOWEL = /[aeiouy][^aeiouy]/;
const HAS_VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;

type Ending = readonly [suffix: string, instead: string, before?: RegExp];

/** The longest of these that a word ends in counts, and no other. */
const STEP_2: readonly Ending[] = [
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ization', 'ize'],
  ['ousness', 'ous'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['tional', 'tion'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ation', 'ate'],
  ['entli', 'ent'],
  ['fulli', 'ful'],
  ['iviti', 'ive'],
  ['ousli', 'ous'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['anci', 'ance'],
  ['ator', 'ate'],
  ['enci', 'ence'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
];
const STEP_3: readonly Ending[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4: readonly Ending[] = [
  ...['ement', 'ance', 'ence', 'able', 'ible', 'ment', 'ant', 'ent', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'].map(
    (suffix) => [suffix, ''] as const,
  ),
  ['ion', '', /[st]$/],
  ['al', ''],
  ['er', ''],
  ['ic', ''],
];

/** The stem of a word in lower case; anything that is not made of a to z is its own. */
export function stem(given: string): string {
  if (given.length <= 2 || !/^[a-z]+$/.test(given)) return given;
  const whole = WHOLE.get(given);
  if (whole !== undefined) return whole;
  // A consonant y is written large, so that the classes above do not take it for a vowel.
  const word = withoutPlural(given.replace(/^y|(?<=[aeiouy])y/g, 'Y'));
  if (DONE.test(word)) return word;
  const r1 = regionOf(word, BEGINNING.exec(word)?.[0].length ?? null);
  const r2 = r1 + regionOf(word.slice(r1), null);
  let stemmed = withoutParticiple(word, r1);
  if (/.[^aeiouy][yY]$/.test(stemmed)) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaced(stemmed, STEP_2, r1);
  stemmed = stemmed.endsWith('ative')
    ? stemmed.length - 5 >= r2
      ? stemmed.slice(0, -5)
      : stemmed
    : replaced(stemmed, STEP_3, r1);
  stemmed = replaced(stemmed, STEP_4, r2);
  return withoutLast(stemmed, r1, r2).replaceAll('Y', 'y');
}

/** Where the region begins that lies behind the first consonant after a vowel; the word's length for nowhere. */
function regionOf(word: string, known: number | null): number {
  if (known !== null) return known;
  const at = word.search(AFTER_VOWEL);
  return at < 0 ? word.length : at + 2;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[sd]$/.test(word)) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  if (/[us]s$/.test(word) || !word.endsWith('s')) return word;
  return HAS_VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutParticiple(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed !== null) return eed.index >= r1 ? word.slice(0, eed.index + 2) : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (ending === null) return word;
  const rest = word.slice(0, ending.index);
  if (!HAS_VOWEL.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLE.test(rest)) return rest.slice(0, -1);
  return rest.length <= r1 && SHORT_SYLLABLE.test(rest) ? `${rest}e` : rest;
}

function replaced(word: string, endings: readonly Ending[], region: number): string {
  const ending = endings.find(([suffix]) => word.endsWith(suffix));
  if (ending === undefined) return word;
  const [suffix, instead, before] = ending;
  const rest = word.slice(0, word.length - suffix.length);
  return rest.length >= region && (before === undefined || before.test(rest)) ? rest + instead : word;
}

function withoutLast(word: string, r1: number, r2: number): string {
  const rest = word.slice(0, -1);
  if (word.endsWith('e') && (rest.length >= r2 || (rest.length >= r1 && !SHORT_SYLLABLE.test(rest)))) return rest;
  return word.endsWith('ll') && rest.length >= r2 ? rest : word;
}
