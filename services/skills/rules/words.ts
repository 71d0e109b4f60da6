/**
 * Full-text ranking of the registry: terms of name, keywords, description and instructions, weighted in that order and by
 * inverse document frequency. Terms are normalized: lower case, no accents, English stemming. Pure.
 */
import type { SkillHead } from '../../../contracts/skills/views';

/** The indexed fields of a skill. */
interface Described {
  readonly head: Pick<SkillHead, 'name' | 'description' | 'metadata'>;
  readonly instructions: string;
}

/** The indexed terms of a skill, and their weights. */
export interface WordWeights {
  readonly words: string[];
  readonly weights: number[];
}

const MAX_WORD_CHARS = 40;
const MAX_QUERY_WORDS = 12;
const MAX_QUERY_CHARS = 500;
/** The most frequent words of this many characters of the instructions are indexed. */
const MAX_INSTRUCTION_WORDS = 300;
const MAX_INSTRUCTION_CHARS = 32 * 1_024;

const NAME_WEIGHT = 8;
const KEYWORD_WEIGHT = 5;
const DESCRIPTION_WEIGHT = 3;
const INSTRUCTIONS_WEIGHT = 1;
/** Term weight at which its contribution reaches half of the maximum. */
const SATURATION = 3;

/** Keywords in the metadata `keywords` and `tags`, separated by commas, semicolons or spaces. */
export const keywordsOf = (metadata: Readonly<Record<string, string>>): string[] => {
  const text = ['keywords', 'tags'].flatMap((key) => (Object.hasOwn(metadata, key) ? [metadata[key] as string] : []));
  return [...new Set(text.join(',').split(/[,;\s]+/))].filter((word) => word !== '').slice(0, 20);
};

/** Extracts the terms of a skill. */
export function wordsOf({ head, instructions }: Described): WordWeights {
  const weights = new Map<string, number>();
  const add = (words: Iterable<string>, weight: number): void => {
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(new Set(tokenize(head.name)), NAME_WEIGHT);
  add(new Set(tokenize(keywordsOf(head.metadata).join(' '))), KEYWORD_WEIGHT);
  add(new Set(tokenize(head.description)), DESCRIPTION_WEIGHT);
  add(mostFrequent(tokenize(instructions.slice(0, MAX_INSTRUCTION_CHARS))), INSTRUCTIONS_WEIGHT);
  return { words: [...weights.keys()], weights: [...weights.values()] };
}

/** Extracts the terms of a query. */
export const queryWords = (query: string): string[] =>
  [...new Set(tokenize(query.slice(0, MAX_QUERY_CHARS)))].slice(0, MAX_QUERY_WORDS);

/** Number of published skills, and of skills with each query term. */
interface CorpusStatistics {
  readonly total: number;
  readonly documentCounts: ReadonlyMap<string, number>;
}

/** Relevance of a skill; 0 without a match. Scaled by the share of query terms that match. */
export function scoreOf(
  { words, weights }: WordWeights,
  queryTerms: readonly string[],
  { total, documentCounts }: CorpusStatistics,
): number {
  let score = 0;
  let found = 0;
  for (const word of queryTerms) {
    const at = words.indexOf(word);
    if (at < 0) continue;
    found += 1;
    const weight = weights[at] as number;
    const idf = Math.log(1 + (total + 1) / ((documentCounts.get(word) ?? 0) + 0.5));
    score += idf * (weight / (weight + SATURATION));
  }
  return queryTerms.length === 0 ? 0 : score * (found / queryTerms.length);
}

function mostFrequent(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return sorted.slice(0, MAX_INSTRUCTION_WORDS).map(([word]) => word);
}

/** English stop words. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by for from how in into is it its of on or that the their them then this to use used using when with you your'.split(
    ' ',
  ),
);

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function tokenize(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
  return words.flatMap((word) =>
    UNSPACED.test(word) ? pairsOf([...word.slice(0, 200)]) : [stem(word.slice(0, MAX_WORD_CHARS))],
  );
}

/** Character bigrams, for scripts without spaces between words. */
const pairsOf = (characters: readonly string[]): string[] =>
  characters.length < 2
    ? [...characters]
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);

/** Strips common English endings: forms, formed and forming become form. */
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
