/**
 * Step types of the language that this version cannot run yet. They are refused by name, never silently accepted.
 * Once the machinery behind a type is there, its row goes.
 */
const LATER: ReadonlySet<string> = new Set(['kb_query', 'kb_add', 'skill']);

/** Why a step type is refused; null when this version has it, or when it is none of the language at all. */
export const notYet = (type: string): string | null =>
  LATER.has(type) ? `${type} is not available in this version` : null;
