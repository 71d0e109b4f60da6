/**
 * Words of the language that this version cannot run yet. They are refused by name, never silently accepted.
 * Once the machinery behind a word is there, its row goes.
 */
const LATER = {
  type: ['kb_query', 'kb_add', 'skill'],
  trigger: ['chat'],
} as const satisfies Record<string, readonly string[]>;

/** Why a word is refused; null when this version has it, or when it is no word of the language at all. */
export function notYet(where: keyof typeof LATER, word: string): { message: string; hint?: string } | null {
  if (!(LATER[where] as readonly string[]).includes(word)) return null;
  return {
    message: `${word} is not available in this version`,
    ...(where === 'trigger' ? { hint: 'use manual, http or schedule' } : {}),
  };
}
