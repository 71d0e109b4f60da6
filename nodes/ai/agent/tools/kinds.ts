/** Step types that are no tools, and why. Every other one may be listed: listing it is the author's consent. */
const UNFIT: ReadonlyMap<string, string> = new Map([
  ['stop', 'it would end the run'],
  ['fail', 'it would end the run'],
  ['webhook_response', 'a run has one answer'],
  ['agent', 'give it a workflow of its own, and list that'],
  ['skill', 'name it in "skills"'],
]);

/** Step types that need more of a run than a use of a tool has. */
const LATER: ReadonlySet<string> = new Set(['file_write', 'file_read', 'file_share']);

/** Kinds that are no step types. */
export const OTHER_KINDS = ['workflow', 'knowledge_base', 'mcp'] as const;

/** Why a step type cannot be a tool; null when it can. */
export function unfitType(type: string): string | null {
  const reason = UNFIT.get(type);
  if (reason !== undefined) return `${type} cannot be a tool: ${reason}`;
  return LATER.has(type) ? `${type} is not available in this version` : null;
}
