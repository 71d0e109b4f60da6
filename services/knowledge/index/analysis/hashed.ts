import { isUnspaced, termsOf } from './analyze';

/** Length of hashed vectors. */
export const HASHED_DIMENSION = 384;
/** A trigram says less than a word. */
const TRIGRAM_WEIGHT = 0.35;
/** Shorter words count less, by the square: the most frequent ones, which say nothing, are short in every language (Zipf). */
const FULL_LENGTH = 6;

/**
 * A text as a vector of unit length, without a model: the terms of it and their trigrams are hashed to places and signs
 * ("feature hashing": Weinberger et al., 2009). Texts with words in common, or parts of words, are near each other; that
 * is all, and nothing is known of meaning. The same for the same text everywhere; zero for a text without words.
 */
export function hashedVector(text: string): Float32Array {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const vector = new Float32Array(HASHED_DIMENSION);
  for (const [term, count] of counts) {
    // What is said ten times is not ten times as much about it.
    const weight = (1 + Math.log(count)) * (isUnspaced(term) ? 1 : Math.min(1, (term.length / FULL_LENGTH) ** 2));
    add(vector, hash(term, 0), weight);
    const framed = `^${term}$`;
    for (let at = 0; at + 3 <= framed.length; at++)
      add(vector, hash(framed.slice(at, at + 3), 1), weight * TRIGRAM_WEIGHT);
  }
  return unit(vector);
}

function add(vector: Float32Array, hashed: number, weight: number): void {
  const at = (hashed >>> 1) % vector.length;
  vector[at] = (vector[at] as number) + (hashed & 1 ? weight : -weight);
}

/** FNV-1a over the code units, and a finish that lets all bits depend on all (MurmurHash3's). */
function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** A copy of the same direction with length 1; of nothing but zeros, zeros. */
export function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares === 0 ? vector.slice() : vector.map((value) => value / Math.sqrt(squares));
}
