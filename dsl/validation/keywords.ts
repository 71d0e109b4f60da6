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

/** Every trigger type, whether or not this version has it. */
export const TRIGGER_TYPES: readonly string[] = [
  'manual',
  'http',
  'schedule',
  'http_poll',
  'rss',
  'email',
  'suite_mail',
  'suite_sheet',
  'suite_calendar',
  'notes_database',
  'chat_message',
  'messaging-a',
  'messaging-b',
  'chat',
  'billing_event',
  'voice_event',
  'signal',
  'workflow_completed',
  'error',
];

/** Triggers that have nothing to set. */
export const TRIGGERS_WITHOUT_SETTINGS: ReadonlySet<unknown> = new Set(['manual', 'http']);

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
    const hint = (): string =>
      didYouMean(key, known) ?? `known are ${known.join(', ')}; keys of your own begin with x_`;
    issues.error(memberPath(path, key), `unknown key of ${what}`, hint);
  }
}
