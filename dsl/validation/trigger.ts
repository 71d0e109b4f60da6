import { isObject } from '../../lib/json';
import { didYouMean } from '../suggest';
import { type Issues, memberPath, typeName } from './issues';
import { checkKeys, TRIGGER_TYPES, TRIGGERS_WITHOUT_SETTINGS } from './keywords';
import { notYet } from './later';

/** Checks what starts the workflow. */
export function checkTrigger(value: unknown, issues: Issues): void {
  if (!isObject(value)) {
    issues.error('trigger', value === undefined ? 'is missing' : 'must be an object', 'write {"type": "manual"}');
    return;
  }
  checkKeys(value, ['type', 'config'], 'trigger', 'a trigger', issues);
  checkType(value.type, issues);
  const { config } = value;
  if (config === undefined) return;
  if (!isObject(config)) {
    issues.error('trigger.config', `must be an object, not ${typeName(config)}`);
  } else if (TRIGGERS_WITHOUT_SETTINGS.has(value.type)) {
    for (const key of Object.keys(config)) {
      issues.warn(memberPath('trigger.config', key), 'triggers of this type have no settings; the key is ignored');
    }
  }
}

function checkType(type: unknown, issues: Issues): void {
  const refused = typeof type === 'string' ? notYet('trigger', type) : null;
  if (refused) {
    issues.error('trigger.type', refused.message, refused.hint);
  } else if (typeof type !== 'string' || !TRIGGER_TYPES.includes(type)) {
    const available = TRIGGER_TYPES.filter((word) => notYet('trigger', word) === null);
    const hint = typeof type === 'string' ? didYouMean(type, TRIGGER_TYPES) : undefined;
    issues.error('trigger.type', 'is not a trigger type', hint ?? `known are ${available.join(', ')}`);
  }
}
