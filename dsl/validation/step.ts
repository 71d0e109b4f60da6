import { isObject, type Json, type JsonObject } from '../../lib/json';
import { CONTROL_TYPES } from '../control';
import type { NodeTypeInfo } from '../document';
import { DOCUMENT_ON_ERROR } from '../place';
import { didYouMean } from '../suggest';
import { checkCondition } from './condition';
import { checkConfig } from './config';
import { checkControl } from './control';
import { checkExpressions, type Place } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys, STEP_KEYS } from './keywords';
import { checkNeeds } from './needs';
import { isWithin, type Site } from './outline';
import { checkDuration, checkLabel, checkOnError, checkRetry, checkSteps } from './policies';
import { checkCache, checkPin } from './reuse';

/** What the steps of a document are checked against. */
export interface StepContext extends Pick<Place, 'outline' | 'secretNames' | 'variableNames'> {
  /** Node types by name and alias. */
  readonly types: ReadonlyMap<string, NodeTypeInfo>;
}

/** Checks everything about one step but its id. */
export function checkStep(site: Site, { types, ...around }: StepContext, issues: Issues): void {
  const { step, path, control } = site;
  const place = { ...around, site };
  const own = control === null ? { keys: [], config: [] } : CONTROL_TYPES[control];
  const misplaced = { keys: own.config, hint: 'it belongs into config' };
  checkKeys(step, [...STEP_KEYS, ...own.keys], path, describe(step.type), issues, misplaced);
  checkLabel(step.name, `${path}.name`, issues);
  checkNeeds(site, around.outline, issues);
  if (step.if !== undefined) checkCondition(step.if, `${path}.if`, place, issues);
  checkDuration(step.timeout, `${path}.timeout`, issues);
  checkOnError(step.on_error, `${path}.on_error`, issues);
  checkCompensate(site, issues);
  if (control !== null) {
    checkControl(site, control, place, issues);
    return;
  }
  checkRetry(step.retry, `${path}.retry`, issues);
  checkCache(step.cache, `${path}.cache`, place, issues);
  checkPin(step.pin, `${path}.pin`, issues);
  checkConfigOf(site, checkType(step.type, `${path}.type`, types, issues), place, (type) => types.has(type), issues);
}

const describe = (type: unknown): string =>
  typeof type === 'string' ? `a step of type ${type.slice(0, 64)}` : 'a step';

/** Where steps run, or may run, while the run is being ended: there is no later end that could undo them. */
const AT_THE_END: ReadonlySet<string> = new Set(['compensate', 'finally', DOCUMENT_ON_ERROR]);

function checkCompensate(site: Site, issues: Issues): void {
  if (!Object.hasOwn(site.step, 'compensate')) return;
  const path = `${site.path}.compensate`;
  if (isWithin(site, AT_THE_END)) {
    issues.error(path, 'steps in compensate, finally and the on_error of the workflow cannot be undone');
  }
  checkSteps(site.step.compensate, path, 'compensate', issues);
}

/** The node type of a step; null, and reported, when there is none. */
function checkType(type: unknown, path: string, types: StepContext['types'], issues: Issues): NodeTypeInfo | null {
  if (typeof type !== 'string') {
    issues.error(path, type === undefined ? 'is missing' : `must be a string, not ${typeName(type)}`);
    return null;
  }
  const info = types.get(type);
  if (info !== undefined) return info;
  const hint = (): string | undefined => hintAt(type, [...types.keys(), ...Object.keys(CONTROL_TYPES)]);
  issues.error(path, `unknown step type "${type.slice(0, 64)}"`, hint);
  return null;
}

const MOST_NAMED = 20;

/** What was meant by a type that there is not: of a connector that is known, one of its actions. */
function hintAt(type: string, known: readonly string[]): string | undefined {
  const connector = type.slice(0, type.indexOf('.') + 1);
  const actions = connector === '' ? [] : known.filter((each) => each.startsWith(connector));
  if (actions.length === 0) return didYouMean(type, known);
  const names = actions.slice(0, MOST_NAMED).map((each) => each.slice(connector.length));
  const more = actions.length > MOST_NAMED ? ', ...' : '';
  return didYouMean(type, actions) ?? `${connector.slice(0, -1)} has ${names.join(', ')}${more}`;
}

const NO_SECRETS_FOR_OTHERS = 'a secret may not be handed to another workflow, where it would be recorded';

function checkConfigOf(
  site: Site,
  info: NodeTypeInfo | null,
  place: Omit<Place, 'noSecrets'>,
  known: (type: string) => boolean,
  issues: Issues,
): void {
  const config = site.step.config ?? {};
  const path = `${site.path}.config`;
  if (!isObject(config)) {
    issues.error(path, `must be an object, not ${typeName(config)}`);
    return;
  }
  const noSecrets = site.step.type === 'sub_workflow' ? NO_SECRETS_FOR_OTHERS : null;
  checkExpressions(config as Json, path, { ...place, noSecrets }, issues);
  if (info === null) return;
  checkConfig(config as Json, info.inputSchema, path, issues);
  for (const { kind, path: member, message, hint } of info.check?.(config as JsonObject, known) ?? []) {
    if (kind === 'error') issues.error(`${path}.${member}`, message, hint);
    else issues.warn(`${path}.${member}`, message, hint);
  }
}
