import { isObject, type Json } from '../../lib/json';
import { ID_PATTERN, LABEL_LIMITS } from '../document';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, memberPath, typeName } from './issues';

const LABELS_HINT = 'write {"order": "{{ trigger.body.id }}"}';
const NAME_HINT = 'a letter, then up to 63 letters, digits, _ or -';

/** Checks `labels`. */
export function checkLabels(
  value: unknown,
  scope: Omit<ExpressionScope, 'node' | 'noSecrets' | 'atStart'>,
  issues: Issues,
): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    issues.error('labels', `must be an object of names and values, not ${typeName(value)}`, LABELS_HINT);
    return;
  }
  const names = Object.keys(value);
  if (names.length > LABEL_LIMITS.count)
    issues.error('labels', `has ${names.length} labels; a run has at most ${LABEL_LIMITS.count}`, 'leave some out');
  const noSecrets = 'a secret may not be used in a label: labels are shown';
  for (const name of names) {
    const path = memberPath('labels', name);
    const label = value[name] as Json;
    if (!ID_PATTERN.test(name)) issues.error(path, 'is not a valid name of a label', NAME_HINT);
    else if (typeof label === 'string' && label.length > LABEL_LIMITS.sourceChars)
      issues.error(path, `is longer than ${LABEL_LIMITS.sourceChars} characters`, 'compute the value in a step');
    else if (typeof label === 'string' || typeof label === 'number' || typeof label === 'boolean')
      checkExpressions(label, path, { ...scope, node: null, noSecrets, atStart: true }, issues);
    else issues.error(path, `must be text, a number or a boolean, not ${typeName(label)}`, LABELS_HINT);
  }
}
