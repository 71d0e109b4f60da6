import { isObject } from '../../lib/json';
import { ID_PATTERN, ON_CONFLICT } from '../document';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkNumber, checkWord } from './policies';

const KEYS = ['key', 'name', 'limit', 'on_conflict'] as const;
const KEY_HINT = 'write {"key": "{{ trigger.body.order_id }}"}';
/** Each scope is a member of one document. */
const MAX_CONCURRENCY = 1_000;

/** Checks the name of a limit that workflows share. */
export function checkSharedName(name: unknown, path: string, issues: Issues): void {
  if (name === undefined || (typeof name === 'string' && ID_PATTERN.test(name))) return;
  const hint = 'write "crm"; workflows with a limit of the same name share it';
  issues.error(path, 'must be a letter, then up to 63 letters, digits, _ or -', hint);
}

/** Checks `concurrency`. */
export function checkConcurrency(
  value: unknown,
  scope: Omit<ExpressionScope, 'node' | 'noSecrets' | 'atStart'>,
  issues: Issues,
) {
  if (value === undefined) return;
  if (!isObject(value)) {
    issues.error('concurrency', `must be an object, not ${typeName(value)}`, KEY_HINT);
    return;
  }
  checkKeys(value, KEYS, 'concurrency', 'concurrency', issues);
  checkNumber(value.limit, 'concurrency.limit', { min: 1, max: MAX_CONCURRENCY, whole: true }, issues);
  checkWord(value.on_conflict, ON_CONFLICT, 'concurrency.on_conflict', issues);
  const { key, name } = value;
  checkSharedName(name, 'concurrency.name', issues);
  if (name !== undefined && value.on_conflict === 'cancel_running')
    issues.error('concurrency.on_conflict', 'runs of other workflows share the limit', 'write "queue" or "skip"');
  if (key === undefined && name !== undefined) return;
  if (typeof key !== 'string' || key === '') {
    const message = key === undefined ? 'is missing' : key === '' ? 'is empty' : `must be text, not ${typeName(key)}`;
    issues.error('concurrency.key', message, KEY_HINT);
    return;
  }
  const noSecrets = 'a secret may not be used in a concurrency key: keys are shown';
  checkExpressions(key, 'concurrency.key', { ...scope, node: null, noSecrets, atStart: true }, issues);
}
