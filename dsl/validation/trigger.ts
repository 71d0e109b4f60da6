import { canonicalJson, isObject, type Json } from '../../lib/json';
import { holdsExpression } from '../braces';
import { didYouMean } from '../suggest';
import { checkExpressions, type Place } from './expressions';
import { type Issues, memberPath, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkSetting } from './setting';
import { TRIGGER_TYPES, type TriggerType } from './trigger-types';

const MOST = 20;
const HINT = 'write {"type": "manual"}';
/** Types whose unknown settings, if there are any, stay from times when they were not looked at. */
const SETTINGS_IGNORED: ReadonlySet<string> = new Set(['manual', 'http']);

type Around = Pick<Place, 'outline' | 'secretNames'>;

/** Checks what starts the workflow: `trigger`, or a list of `triggers`. */
export function checkTriggers(document: Record<string, unknown>, around: Around, issues: Issues): void {
  const { trigger, triggers } = document;
  if (!Object.hasOwn(document, 'triggers')) return checkTrigger(trigger, 'trigger', around, issues);
  if (Object.hasOwn(document, 'trigger')) issues.error('trigger', 'is there beside triggers', 'move it into the list');
  if (!Array.isArray(triggers)) {
    issues.error('triggers', `must be a list, not ${typeName(triggers)}`, 'write [{"type": "manual"}]');
    return;
  }
  if (triggers.length === 0 || triggers.length > MOST) {
    issues.error('triggers', `has ${triggers.length}; there are 1 to ${MOST}`);
  }
  const seen = new Set<string>();
  for (const [index, each] of triggers.entries()) {
    const path = memberPath('triggers', index);
    checkTrigger(each, path, around, issues);
    // Whoever parsed the document parsed JSON, so its parts are JSON.
    const text = canonicalJson(each as Json);
    if (seen.has(text)) issues.error(path, 'is there twice');
    seen.add(text);
  }
}

function checkTrigger(value: unknown, path: string, around: Around, issues: Issues): void {
  if (!isObject(value)) {
    issues.error(path, value === undefined ? 'is missing' : 'must be an object', HINT);
    return;
  }
  checkKeys(value, ['type', 'config'], path, 'a trigger', issues);
  const known = checkType(value.type, `${path}.type`, issues);
  const config = value.config ?? {};
  if (!isObject(config)) issues.error(`${path}.config`, `must be an object, not ${typeName(config)}`);
  else if (known !== null) checkSettings(config, String(value.type), known, `${path}.config`, around, issues);
}

function checkType(type: unknown, path: string, issues: Issues): TriggerType | null {
  const known = typeof type === 'string' ? TRIGGER_TYPES.get(type) : undefined;
  if (known !== undefined) return known;
  const words = [...TRIGGER_TYPES.keys()];
  const hint = typeof type === 'string' ? didYouMean(type, words) : undefined;
  issues.error(path, 'is not a trigger type', hint ?? `known are ${words.join(', ')}`);
  return null;
}

function checkSettings(
  config: Record<string, unknown>,
  name: string,
  type: TriggerType,
  path: string,
  around: Around,
  issues: Issues,
): void {
  const { settings, required, oneOf, secrets = [] } = type;
  if (SETTINGS_IGNORED.has(name)) {
    for (const key of Object.keys(config).filter((each) => !Object.hasOwn(settings, each)))
      issues.warn(memberPath(path, key), 'triggers of this type have no such setting; the key is ignored');
  } else checkKeys(config, Object.keys(settings), path, `the config of ${name}`, issues);
  for (const key of required) if (config[key] === undefined) issues.error(memberPath(path, key), 'is missing');
  if (oneOf !== undefined && oneOf.filter((key) => config[key] !== undefined).length !== 1) {
    issues.error(path, `needs exactly one of ${oneOf.join(' and ')}`);
  }
  for (const [key, setting] of Object.entries(settings)) {
    const value = config[key];
    const here = memberPath(path, key);
    if (value === undefined) continue;
    if (secrets.includes(key))
      checkExpressions(value as Json, here, { ...around, site: null, noSecrets: null, only: SECRET }, issues);
    else if (typeof value === 'string' && holdsExpression(value)) {
      issues.error(here, 'expressions are not read here', 'write the value itself');
      continue;
    }
    checkSetting(value, setting, here, issues);
  }
}

const SECRET = { roots: ['secret'], reason: 'only secrets are known where a trigger is set up' };
