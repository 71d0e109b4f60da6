const MAX_NAME_CHARS = 60;

/** An operation's name as one of an action: `listPets` is `list_pets`. '' where nothing is left of it. */
export const actionName = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, MAX_NAME_CHARS)
    .replace(/_+$/, '');

/** The same name with a number if it is taken. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name}_${number}`;
  taken.add(unique);
  return unique;
}
