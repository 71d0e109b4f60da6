import { Chance } from '../chaos/chance';

/** Bytes that look random, the same for the same seed. */
export function noise(seed: number, length: number): Buffer<ArrayBuffer> {
  const chance = new Chance(seed);
  return Buffer.from(Array.from({ length }, () => chance.between(0, 255)));
}
