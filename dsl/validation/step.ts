import { isObject, type Json, type JsonObject } from '../../lib/json';
import { CONTROL_TYPES } from '../control';
import type { NodeTypeInfo } from '../document';
import { DOCUMENT_ON_ERROR } from '../step-path';
import { checkCondition } from './condition';
import { checkConfig } from './config';
import { checkControl } from './control';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, typeName } from './issues';
import { checkKeys, STEP_KEYS } from './keywords';
import { checkNeeds } from './needs';
import { isWithin, type StepNode } from './document-index';
import { checkDuration, checkLabel, checkOnError, checkRetry, checkSteps } from './policies';
import { checkCache, checkPin } from './reuse';
import { stepTypeHint } from './type-hint';

/** What the steps of a document are checked against. */
interface StepContext extends Pick<ExpressionScope, 'documentIndex' | 'secretNames' | 'variableNames'> {
  /** Node types by name and alias. */
  readonly types: ReadonlyMap<string, NodeTypeInfo>;
}

/** Checks everything about one step but its id. */
export function checkStep(node: StepNode, { types, ...around }: StepContext, issues: Issues): void {
  const { step, path, control } = node;
  const scope = { ...around, node };
  const own = control === null ? { keys: [], config: [] } : CONTROL_TYPES[control];
  const misplaced = control === 'branch' ? OTHER_BRANCHES : { keys: own.config, hint: 'it belongs into config' };
  checkKeys(step, [...STEP_KEYS, ...own.keys], path, describe(step.type), issues, misplaced);
  checkLabel(step.name, `${path}.name`, issues);
  checkNeeds(node, around.documentIndex, issues);
  if (step.if !== undefined) checkCondition(step.if, `${path}.if`, scope, issues);
  checkDuration(step.timeout, `${path}.timeout`, issues);
  checkOnError(step.on_error, `${path}.on_error`, issues);
  checkCompensate(node, issues);
  if (control !== null) {
    checkControl(node, control, scope, issues);
    return;
  }
  checkRetry(step.retry, `${path}.retry`, issues);
  checkCache(step.cache, `${path}.cache`, scope, issues);
  checkPin(step.pin, `${path}.pin`, issues);
  checkConfigOf(node, checkType(step.type, `${path}.type`, types, issues), scope, (type) => types.has(type), issues);
}

/** Keys of conditional steps in other products. */
const OTHER_BRANCHES = {
  keys: ['then', 'condition', 'conditions', 'expression'],
  hint: 'write "cases": [{"when": "{{ ... }}", "steps": [...]}]',
};

const describe = (type: unknown): string =>
  typeof type === 'string' ? `a step of type ${type.slice(0, 64)}` : 'a step';

/** Lists whose steps run while the run is being ended: a later compensation is impossible. */
const AT_THE_END: ReadonlySet<string> = new Set(['compensate', 'finally', DOCUMENT_ON_ERROR]);

function checkCompensate(node: StepNode, issues: Issues): void {
  if (!Object.hasOwn(node.step, 'compensate')) return;
  const path = `${node.path}.compensate`;
  if (isWithin(node, AT_THE_END)) {
    issues.error(path, 'steps in compensate, finally and the on_error of the workflow cannot be undone');
  }
  checkSteps(node.step.compensate, path, 'compensate', issues);
}

/** The node type of a step; null, and reported, when there is none. */
function checkType(type: unknown, path: string, types: StepContext['types'], issues: Issues): NodeTypeInfo | null {
  if (typeof type !== 'string') {
    issues.error(path, type === undefined ? 'is missing' : `must be a string, not ${typeName(type)}`);
    return null;
  }
  const info = types.get(type);
  if (info !== undefined) return info;
  const known = new Set([...types.keys(), ...Object.keys(CONTROL_TYPES)]);
  const hint = (): string | undefined => stepTypeHint(type, known);
  issues.error(path, `unknown step type "${type.slice(0, 64)}"`, hint);
  return null;
}

const NO_SECRETS_FOR_OTHERS = 'a secret may not be handed to another workflow, where it would be recorded';

function checkConfigOf(
  node: StepNode,
  info: NodeTypeInfo | null,
  scope: Omit<ExpressionScope, 'noSecrets'>,
  known: (type: string) => boolean,
  issues: Issues,
): void {
  const config = node.step.config ?? {};
  const path = `${node.path}.config`;
  if (!isObject(config)) {
    issues.error(path, `must be an object, not ${typeName(config)}`);
    return;
  }
  const noSecrets = node.step.type === 'sub_workflow' ? NO_SECRETS_FOR_OTHERS : null;
  checkExpressions(config as Json, path, { ...scope, noSecrets }, issues);
  if (info === null) return;
  checkConfig(config as Json, info.inputSchema, path, issues);
  for (const { kind, path: member, message, hint } of info.check?.(config as JsonObject, known) ?? []) {
    const at = member === '' ? path : `${path}.${member}`;
    if (kind === 'error') issues.error(at, message, hint);
    else issues.warn(at, message, hint);
  }
}
