import { isUnspaced, termsOf } from './terms';

/** Length of hashed vectors. */
export const HASHED_DIMENSION = 384;
/** Weight of a trigram relative to a word. */
const TRIGRAM_WEIGHT = 0.35;
/** Shorter words count less, by the square: the most frequent ones are short in every language (Zipf). */
const FULL_LENGTH = 6;

/**
 * A text as a unit vector, without a model: its terms and their trigrams are hashed to positions and signs ("feature
 * hashing": Weinberger et al., 2009). Texts with common words or parts of words are near each other; meaning is not
 * considered. Deterministic; zero for a text without words.
 */
export function hashedVector(text: string): Float32Array {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const vector = new Float32Array(HASHED_DIMENSION);
  for (const [term, count] of counts) {
    // A term that occurs ten times counts less than ten times.
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

/** FNV-1a over the code units, with MurmurHash3's finalizer. */
function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Normalizes to length 1; a zero vector stays zero. */
export function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares === 0 ? vector.slice() : vector.map((value) => value / Math.sqrt(squares));
}
