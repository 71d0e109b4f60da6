import { didYouMean } from '../suggest';
import { type Issues, memberPath } from './issues';

/** Every key of a document. */
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
  'throttle',
  'rate_limit',
  'debounce',
  'batch',
  'priority',
  'labels',
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

/** Keys of the canvas, stored with the document and ignored. */
const IGNORED_KEYS: ReadonlySet<string> = new Set(['ui', 'position', 'notes']);

/** Names the JSON Schema of a document for editors; only at its top, and ignored. */
export const SCHEMA_KEY = '$schema';

/** Reports unknown keys. `elsewhere` names keys that are only misplaced, and where they belong. */
export function checkKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  path: string,
  what: string,
  issues: Issues,
  elsewhere: { readonly keys: readonly string[]; readonly hint: string } = { keys: [], hint: '' },
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key) || IGNORED_KEYS.has(key) || key.startsWith('x_')) continue;
    const hint = (): string => {
      if (elsewhere.keys.includes(key)) return elsewhere.hint;
      const all = known.length === 0 ? 'there are none' : `known are ${known.join(', ')}`;
      return didYouMean(key, known) ?? `${all}; keys of your own begin with x_`;
    };
    issues.error(memberPath(path, key), `unknown key of ${what}`, hint);
  }
}
