import { canonicalJson, isObject, type Json } from '../../lib/json';
import { hasExpression } from '../interpolation';
import type { NodeTypeInfo } from '../document';
import { didYouMean } from '../suggest';
import { checkConfig } from './config';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, memberPath, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkSetting } from './setting';
import { canonicalTrigger, TRIGGER_TYPES, type TriggerType } from './trigger-types';
import { knownWordHint, TRIGGER_WORDS } from '../known-words';

const MAX_TRIGGERS = 20;
const HINT = 'write {"type": "manual"}';
/** Types whose unknown settings are only reported as warnings: older versions did not check them. */
const SETTINGS_IGNORED: ReadonlySet<string> = new Set(['manual', 'http']);

interface Around extends Pick<ExpressionScope, 'documentIndex' | 'secretNames'> {
  readonly types: ReadonlyMap<string, NodeTypeInfo>;
}

const CUSTOM = 'custom-';

/** Checks what starts the workflow: `trigger`, or a list of `triggers`. */
export function checkTriggers(document: Record<string, unknown>, around: Around, issues: Issues): void {
  const { trigger, triggers } = document;
  if (!Object.hasOwn(document, 'triggers')) return checkTrigger(trigger, 'trigger', around, issues);
  if (Object.hasOwn(document, 'trigger')) issues.error('trigger', 'is there beside triggers', 'move it into the list');
  if (!Array.isArray(triggers)) {
    issues.error('triggers', `must be a list, not ${typeName(triggers)}`, 'write [{"type": "manual"}]');
    return;
  }
  if (triggers.length === 0 || triggers.length > MAX_TRIGGERS) {
    issues.error('triggers', `has ${triggers.length}; there are 1 to ${MAX_TRIGGERS}`);
  }
  const seen = new Set<string>();
  for (const [index, each] of triggers.entries()) {
    const path = memberPath('triggers', index);
    checkTrigger(each, path, around, issues);
    // The document was parsed from JSON, so its parts are JSON.
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
  const config = value.config ?? {};
  const custom = customType(value.type, around.types);
  if (custom !== null) {
    if (!checkCustomType(custom, `${path}.type`, issues)) return;
    if (!isObject(config)) issues.error(`${path}.config`, `must be an object, not ${typeName(config)}`);
    else checkCustomConfig(config, custom, `${path}.config`, around, issues);
    return;
  }
  const known = checkType(value.type, `${path}.type`, issues);
  if (!isObject(config)) issues.error(`${path}.config`, `must be an object, not ${typeName(config)}`);
  else if (known !== null)
    checkSettings(config, canonicalTrigger(String(value.type)), known, `${path}.config`, around, issues);
}

const customType = (type: unknown, types: Around['types']): NodeTypeInfo | null =>
  typeof type === 'string' && type.startsWith(CUSTOM) ? (types.get(type) ?? null) : null;

/** True when a custom node can be a trigger; an unknown one may be. */
function checkCustomType({ type, trigger }: NodeTypeInfo, path: string, issues: Issues): boolean {
  if (trigger === undefined) {
    issues.error(path, `${type} is a tool, not a trigger`, 'set "kind" of the custom node to "trigger"');
    return false;
  }
  if (trigger === 'unresolved')
    issues.warn(path, `there is no custom node "${type}" yet; it starts no runs until it is created`);
  return true;
}

/** Checks the fields of a custom node, and how often it is polled. */
function checkCustomConfig(
  config: Record<string, unknown>,
  { inputSchema }: NodeTypeInfo,
  path: string,
  around: Around,
  issues: Issues,
): void {
  const { every, ...fields } = config;
  checkExpressions(fields as Json, path, { ...around, node: null, noSecrets: null, only: SECRET }, issues);
  checkConfig(fields as Json, inputSchema, path, issues);
  const here = memberPath(path, 'every');
  if (every === undefined) return;
  if (typeof every === 'string' && hasExpression(every)) issues.error(here, NO_EXPRESSION, 'write the value itself');
  else checkSetting(every, 'poll', here, issues);
}

function checkType(type: unknown, path: string, issues: Issues): TriggerType | null {
  const known = typeof type === 'string' ? TRIGGER_TYPES.get(canonicalTrigger(type)) : undefined;
  if (known !== undefined) return known;
  const words = [...TRIGGER_TYPES.keys()];
  const hint =
    typeof type === 'string'
      ? (knownWordHint(type, TRIGGER_WORDS, TRIGGER_TYPES) ?? didYouMean(type, words))
      : undefined;
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
  const { settings, required, oneOf, secrets = [], overTrigger = [] } = type;
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
    const only = secrets.includes(key) ? SECRET : overTrigger.includes(key) ? REQUEST : null;
    if (only !== null) checkExpressions(value as Json, here, { ...around, node: null, noSecrets: null, only }, issues);
    else if (setting !== 'output text' && typeof value === 'string' && hasExpression(value)) {
      issues.error(here, NO_EXPRESSION, 'write the value itself');
      continue;
    }
    checkSetting(value, setting, here, issues);
  }
}

const NO_EXPRESSION = 'expressions are not read here';
const SECRET = { roots: ['secret'], reason: 'only secrets are known where a trigger is set up' };
const REQUEST = { roots: ['trigger'], reason: 'it is evaluated before a run starts, when only the request is known' };
