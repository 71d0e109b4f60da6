/**
 * How the registry finds a skill: by words of its name, keywords, description and instructions, in that order of weight,
 * rare words above common ones. Words are compared without case, accents and the endings of English. Pure.
 */
import type { SkillHead } from '../../../contracts/skills/views';

/** What is looked at of a published skill. */
interface Described {
  readonly head: Pick<SkillHead, 'name' | 'description' | 'metadata'>;
  readonly instructions: string;
}

/** The words that a skill is found by, and how much each stands for it. */
export interface WordWeights {
  readonly words: string[];
  readonly weights: number[];
}

const MAX_WORD_CHARS = 40;
const MAX_QUERY_WORDS = 12;
const MAX_QUERY_CHARS = 500;
/** Of instructions: their most frequent words, of so many characters. */
const MAX_WORDS = 300;
const READ_CHARACTERS = 32 * 1_024;

const NAME = 8;
const KEYWORD = 5;
const DESCRIPTION = 3;
const INSTRUCTIONS = 1;
/** Where more weight begins to count for less. */
const HALF = 3;

/** Texts between commas and blanks of the metadata `keywords` or `tags`. */
export const keywordsOf = (metadata: Readonly<Record<string, string>>): string[] => {
  const text = ['keywords', 'tags'].flatMap((key) => (Object.hasOwn(metadata, key) ? [metadata[key] as string] : []));
  return [...new Set(text.join(',').split(/[,;\s]+/))].filter((word) => word !== '').slice(0, 20);
};

/** The words of a skill. */
export function wordsOf({ head, instructions }: Described): WordWeights {
  const weights = new Map<string, number>();
  const add = (words: Iterable<string>, weight: number): void => {
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(new Set(analysed(head.name)), NAME);
  add(new Set(analysed(keywordsOf(head.metadata).join(' '))), KEYWORD);
  add(new Set(analysed(head.description)), DESCRIPTION);
  add(frequent(analysed(instructions.slice(0, READ_CHARACTERS))), INSTRUCTIONS);
  return { words: [...weights.keys()], weights: [...weights.values()] };
}

/** The words that a question asks for. */
export const queryWords = (query: string): string[] =>
  [...new Set(analysed(query.slice(0, MAX_QUERY_CHARS)))].slice(0, MAX_QUERY_WORDS);

/** What is known of the registry as a whole: its size, and how many skills have each word of the question. */
interface Census {
  readonly total: number;
  readonly having: ReadonlyMap<string, number>;
}

/** How well a skill answers a question; 0 for not at all. A skill that has all of its words goes before one that has not. */
export function scoreOf({ words, weights }: WordWeights, asked: readonly string[], { total, having }: Census): number {
  let score = 0;
  let found = 0;
  for (const word of asked) {
    const at = words.indexOf(word);
    if (at < 0) continue;
    found += 1;
    const weight = weights[at] as number;
    const idf = Math.log(1 + (total + 1) / ((having.get(word) ?? 0) + 0.5));
    score += idf * (weight / (weight + HALF));
  }
  return asked.length === 0 ? 0 : score * (found / asked.length);
}

function frequent(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return sorted.slice(0, MAX_WORDS).map(([word]) => word);
}

/** Words of English that say nothing of a skill. */
const EMPTY: ReadonlySet<string> = new Set(
  'a an and are as at be by for from how in into is it its of on or that the their them then this to use used using when with you your'.split(
    ' ',
  ),
);

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function analysed(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !EMPTY.has(word));
  return words.flatMap((word) =>
    UNSPACED.test(word) ? pairsOf([...word.slice(0, 200)]) : [stem(word.slice(0, MAX_WORD_CHARS))],
  );
}

/** Scripts that put no blanks between words are looked at in pairs of characters. */
const pairsOf = (characters: readonly string[]): string[] =>
  characters.length < 2
    ? [...characters]
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);

/** Without the commonest endings of English: forms, formed and forming are found by form. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const single = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : /(?:[sxz]|ch|sh)es$/.test(word)
      ? word.slice(0, -2)
      : /[^su]s$/.test(word)
        ? word.slice(0, -1)
        : word;
  const bare = /[aeiouy].*(?:ing|ed)$/.test(single) ? single.replace(/(?:ing|ed)$/, '') : single;
  const kept = bare.length < 3 ? single : bare.replace(/([bdfgmnprt])\1$/, '$1');
  return kept.length > 4 && kept.endsWith('e') ? kept.slice(0, -1) : kept;
}
