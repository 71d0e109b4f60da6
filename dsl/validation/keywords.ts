import { didYouMean } from '../suggest';
import { type Issues, memberPath } from './issues';

/** Every key of a document, whether or not this version can run it. */
export const DOCUMENT_KEYS = [
  'id',
  'name',
  'description',
  'trigger',
  'triggers',
  'steps',
  'retry',
  'timeout',
  'on_error',
  'concurrency',
  'output',
  'inputs',
] as const;

/** Every key that any step may have. Control steps have more, see CONTROL_TYPES. */
export const STEP_KEYS = [
  'id',
  'type',
  'name',
  'config',
  'needs',
  'if',
  'retry',
  'timeout',
  'on_error',
  'compensate',
  'cache',
  'pin',
] as const;

/** Steps that the actor evaluates itself and that hold or start other steps: their aliases, and their own keys. */
export const CONTROL_TYPES: Readonly<Record<string, { aliases: readonly string[]; keys: readonly string[] }>> = {
  branch: { aliases: ['condition', 'if', 'switch'], keys: ['cases', 'else'] },
  parallel: { aliases: [], keys: ['branches', 'wait'] },
  foreach: { aliases: [], keys: ['steps'] },
  while: { aliases: [], keys: ['steps'] },
  try: { aliases: [], keys: ['steps', 'catch', 'finally'] },
  sub_workflow: { aliases: [], keys: [] },
};

/** The canonical name of a control type given by name or alias; null when it is none. */
export function controlType(type: string): string | null {
  for (const [name, { aliases }] of Object.entries(CONTROL_TYPES)) {
    if (name === type || aliases.includes(type)) return name;
  }
  return null;
}

/** Keys of the canvas, kept with the document and never read. */
const IGNORED_KEYS: ReadonlySet<string> = new Set(['ui', 'position', 'notes']);

/** Reports keys that are not of the language. */
export function checkKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  path: string,
  what: string,
  issues: Issues,
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key) || IGNORED_KEYS.has(key) || key.startsWith('x_')) continue;
    const hint = didYouMean(key, known) ?? `known are ${known.join(', ')}; keys of your own begin with x_`;
    issues.error(memberPath(path, key), `unknown key of ${what}`, hint);
  }
}
