import type { Dice } from '../../simulation/chance';

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** A text of about so many characters, of a piece again and again. */
export const repeated = (piece: string, characters: number): string =>
  piece.repeat(Math.max(1, Math.floor(characters / piece.length)));

/** Lower-case letters and spaces, as of words. */
export function words(dice: Dice, characters: number): string {
  // A block of random words repeated: making megabytes letter by letter takes longer than the case.
  let block = '';
  while (block.length < Math.min(4 * KIB, characters)) block += `${letters(dice, dice.between(2, 9))} `;
  return repeated(block, characters + block.length).slice(0, characters);
}

export function letters(dice: Dice, count: number): string {
  let text = '';
  for (let n = 0; n < count; n++) text += String.fromCharCode(97 + dice.between(0, 25));
  return text;
}

/** Rows as a small table has them, with keys and values that differ. */
export const rowsOf = (dice: Dice, count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index,
    name: letters(dice, 8),
    group: dice.between(0, 9),
    price: dice.between(0, 100_000) / 100,
  }));

export const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** Lists within each other. */
export const nestedLists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** A JSON object with so many small members. */
export const wideObject = (members: number): string =>
  `{${Array.from({ length: members }, (_, index) => `"k${index}":${index % 10}`).join(',')}}`;

/** JSON text of a list of small objects of about so many bytes. */
export function jsonRows(bytes: number): string {
  const row = '{"id":123456,"name":"abcdefgh","tags":["a","b"],"nested":{"x":1,"y":null}}';
  return `[${Array.from({ length: Math.floor(bytes / (row.length + 1)) }, () => row).join(',')}]`;
}
