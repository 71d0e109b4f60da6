/** Steps that the actor evaluates itself and that hold other steps: their aliases, and their own keys. */
export const CONTROL_TYPES: Readonly<Record<string, { aliases: readonly string[]; keys: readonly string[] }>> = {
  branch: { aliases: ['condition', 'if', 'switch'], keys: ['cases', 'else'] },
  parallel: { aliases: [], keys: ['branches', 'wait'] },
  foreach: { aliases: [], keys: ['steps'] },
  while: { aliases: [], keys: ['steps'] },
  try: { aliases: [], keys: ['steps', 'catch', 'finally'] },
};

/** The canonical name of a control type given by name or alias; null when it is none. */
export function controlType(type: string): string | null {
  for (const [name, { aliases }] of Object.entries(CONTROL_TYPES)) {
    if (name === type || aliases.includes(type)) return name;
  }
  return null;
}
