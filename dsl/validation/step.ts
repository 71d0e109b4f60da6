import { isObject, type Json } from '../../lib/json';
import { splitBraces } from '../braces';
import { CONTROL_TYPES, controlType } from '../control';
import type { NodeTypeInfo } from '../document';
import { ExpressionError } from '../expression/error';
import { didYouMean } from '../suggest';
import { checkConfig } from './config';
import { checkExpressions } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys, STEP_KEYS } from './keywords';
import { notYet } from './later';
import type { Outline, Site } from './outline';
import { checkDuration, checkLabel, checkOnError, checkRetry } from './policies';

/** What the steps of a document are checked against. */
export interface StepContext {
  readonly outline: Outline;
  /** Node types by name and alias. */
  readonly types: ReadonlyMap<string, NodeTypeInfo>;
  readonly secretNames: ReadonlySet<string> | undefined;
}

/** Checks everything about one step but its id. */
export function checkStep(site: Site, context: StepContext, issues: Issues): void {
  const { step, path } = site;
  const control = typeof step.type === 'string' ? controlType(step.type) : null;
  const ownKeys = control === null ? [] : (CONTROL_TYPES[control]?.keys ?? []);
  checkKeys(step, [...STEP_KEYS, ...ownKeys], path, describe(step.type), issues);
  for (const key of STEP_KEYS) {
    const refused = Object.hasOwn(step, key) ? notYet('step', key) : null;
    if (refused) issues.error(`${path}.${key}`, refused.message, refused.hint);
  }
  checkLabel(step.name, `${path}.name`, issues);
  checkRetry(step.retry, `${path}.retry`, issues);
  checkDuration(step.timeout, `${path}.timeout`, issues);
  checkOnError(step.on_error, `${path}.on_error`, issues);
  checkCondition(step.if, site, context, issues);
  const info = checkType(step.type, control, `${path}.type`, context.types, issues);
  checkConfigOf(site, info, context, issues);
}

const describe = (type: unknown): string =>
  typeof type === 'string' ? `a step of type ${type.slice(0, 64)}` : 'a step';

/** The node type of a step; null, and reported, when there is none that this version can run. */
function checkType(
  type: unknown,
  control: string | null,
  path: string,
  types: StepContext['types'],
  issues: Issues,
): NodeTypeInfo | null {
  if (typeof type !== 'string') {
    issues.error(path, type === undefined ? 'is missing' : `must be a string, not ${typeName(type)}`);
    return null;
  }
  const refused = control === null ? null : notYet('type', control);
  if (refused) {
    issues.error(path, refused.message, refused.hint);
    return null;
  }
  const info = types.get(type) ?? null;
  if (info === null && control === null) {
    const hint = (): string | undefined => didYouMean(type, [...types.keys(), ...Object.keys(CONTROL_TYPES)]);
    issues.error(path, `unknown step type "${type.slice(0, 64)}"`, hint);
  }
  return info;
}

function checkConfigOf(site: Site, info: NodeTypeInfo | null, context: StepContext, issues: Issues): void {
  const config = site.step.config ?? {};
  const path = `${site.path}.config`;
  if (!isObject(config)) {
    issues.error(path, `must be an object, not ${typeName(config)}`);
    return;
  }
  const { outline, secretNames } = context;
  const noSecrets = site.step.type === 'sub_workflow' ? NO_SECRETS_FOR_OTHERS : null;
  checkExpressions(config as Json, path, { outline, site, noSecrets, secretNames }, issues);
  if (info !== null) checkConfig(config as Json, info.inputSchema, path, issues);
}

const NO_SECRETS_FOR_OTHERS = 'a secret may not be handed to another workflow, where it would be recorded';
const CONDITION_HINT = 'write one expression in braces: "{{ steps.fetch.status == 200 }}"';
const NO_SECRETS = 'a secret may not be used in a condition: conditions are recorded';

/** A condition is one expression: other text would be true whatever it says. */
function checkCondition(value: unknown, site: Site, { outline, secretNames }: StepContext, issues: Issues): void {
  if (value === undefined || typeof value === 'boolean') return;
  const path = `${site.path}.if`;
  if (typeof value !== 'string') issues.error(path, `must be an expression, not ${typeName(value)}`, CONDITION_HINT);
  else if (!isOneExpression(value)) issues.error(path, 'must be one expression and nothing else', CONDITION_HINT);
  else checkExpressions(value, path, { outline, site, noSecrets: NO_SECRETS, secretNames }, issues);
}

function isOneExpression(text: string): boolean {
  try {
    const pieces = splitBraces(text);
    return pieces.length === 1 && pieces[0]?.kind === 'expression';
  } catch (error) {
    // Braces that never close are reported with their position, as in any other text.
    if (error instanceof ExpressionError) return true;
    throw error;
  }
}
