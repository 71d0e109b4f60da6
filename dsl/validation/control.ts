import { isObject, type Json } from '../../lib/json';
import { CONTROL_LIMITS, CONTROL_TYPES, type ControlName } from '../control';
import { ID_PATTERN } from '../document';
import { checkCondition, isOneExpression } from './condition';
import { checkExpressions, type ExpressionScope } from './expressions';
import { type Issues, memberPath, typeName } from './issues';
import { checkKeys } from './keywords';
import type { StepNode } from './document-index';
import { checkId, checkNumber, checkSteps } from './policies';

const NOT_AS_A_WHOLE: Readonly<Record<string, string>> = {
  retry: 'a step that holds others is not tried again as a whole',
  cache: 'the output of a step that holds others is not kept',
  pin: 'a step that holds others cannot be pinned',
};
const NO_SECRETS = 'a secret may not be used in the items of a loop: they are recorded';
const ITEMS_HINT = 'write one expression in braces: "{{ steps.fetch.body.rows }}"';

/** Checks a container step. The steps in it are checked as steps. */
export function checkControl(
  node: StepNode,
  name: ControlName,
  scope: Omit<ExpressionScope, 'noSecrets'>,
  issues: Issues,
): void {
  const { step, path } = node;
  for (const [key, reason] of Object.entries(NOT_AS_A_WHOLE)) {
    if (Object.hasOwn(step, key)) issues.error(`${path}.${key}`, reason, `put ${key} on the steps inside`);
  }
  const config = step.config ?? {};
  if (!isObject(config)) {
    issues.error(`${path}.config`, `must be an object, not ${typeName(config)}`);
    return;
  }
  const { keys, config: known } = CONTROL_TYPES[name];
  const misplaced = { keys, hint: 'it belongs to the step itself, beside config' };
  checkKeys(config, known, `${path}.config`, `the config of ${name}`, issues, misplaced);
  switch (name) {
    case 'branch':
      return checkBranch(node, scope, issues);
    case 'parallel':
      return checkParallel(node, issues);
    case 'foreach':
      return checkForeach(node, config, scope, issues);
    case 'while':
      return checkWhile(node, config, scope, issues);
    case 'try':
      return checkTry(node, issues);
  }
}

/** Checks a list of objects under a key of the step, and each of them. */
function checkList(
  { step, path }: StepNode,
  key: 'cases' | 'branches',
  { min, max, example }: { min: number; max: number; example: string },
  issues: Issues,
  checkEach: (each: Record<string, unknown>, path: string) => void,
): void {
  const list = step[key];
  const here = `${path}.${key}`;
  if (!Array.isArray(list)) {
    issues.error(
      here,
      list === undefined ? 'is missing' : `must be a list, not ${typeName(list)}`,
      `write [${example}]`,
    );
    return;
  }
  if (list.length < min || list.length > max) issues.error(here, `has ${list.length}; there are ${min} to ${max}`);
  for (const [index, each] of list.entries()) {
    const at = memberPath(here, index);
    if (isObject(each)) checkEach(each, at);
    else issues.error(at, `must be an object, not ${typeName(each)}`, `write ${example}`);
  }
}

function checkBranch(node: StepNode, scope: Omit<ExpressionScope, 'noSecrets'>, issues: Issues): void {
  const { step, path } = node;
  const shape = { min: 1, max: CONTROL_LIMITS.cases, example: '{"when": "{{ ... }}", "steps": [...]}' };
  checkList(node, 'cases', shape, issues, (each, at) => {
    checkKeys(each, ['when', 'steps'], at, 'a case', issues);
    checkCondition(each.when, `${at}.when`, scope, issues);
    checkSteps(each.steps, `${at}.steps`, 'steps', issues);
  });
  if (Object.hasOwn(step, 'else')) checkSteps(step.else, `${path}.else`, 'else', issues);
}

function checkParallel(node: StepNode, issues: Issues): void {
  const { step, path } = node;
  const ids = new Set<string>();
  const shape = { min: 2, max: CONTROL_LIMITS.branches, example: '{"id": "...", "steps": [...]}' };
  checkList(node, 'branches', shape, issues, (each, at) => {
    checkKeys(each, ['id', 'steps'], at, 'a branch', issues);
    const id = checkId(each.id, ID_PATTERN, `${at}.id`, issues);
    if (id !== null && ids.has(id)) issues.error(`${at}.id`, `another branch has the id "${id}"`);
    if (id !== null) ids.add(id);
    checkSteps(each.steps, `${at}.steps`, 'steps', issues);
  });
  checkWait(step.wait, Array.isArray(step.branches) ? step.branches.length : 0, `${path}.wait`, issues);
}

function checkWait(wait: unknown, branches: number, path: string, issues: Issues): void {
  if (wait === undefined || wait === 'all' || wait === 'any') return;
  const fits = typeof wait === 'number' && Number.isInteger(wait) && wait >= 1 && wait <= branches;
  if (!fits)
    issues.error(path, `must be "all", "any" or how many of the branches: a whole number from 1 to ${branches}`);
}

function checkForeach(
  { step, path }: StepNode,
  { items, concurrency }: Record<string, unknown>,
  scope: Omit<ExpressionScope, 'noSecrets'>,
  issues: Issues,
): void {
  const here = `${path}.config.items`;
  if (items === undefined) issues.error(here, 'is missing', ITEMS_HINT);
  else if (typeof items === 'string' && !isOneExpression(items)) {
    issues.error(here, 'must be one expression and nothing else', ITEMS_HINT);
  } else if (typeof items !== 'string' && (typeof items !== 'object' || items === null)) {
    issues.error(here, `must be an expression, a list or an object, not ${typeName(items)}`, ITEMS_HINT);
  } else {
    const count = typeof items === 'object' ? Object.keys(items).length : 0;
    if (count > CONTROL_LIMITS.items) issues.error(here, `has ${count} items; at most ${CONTROL_LIMITS.items}`);
    checkExpressions(items as Json, here, { ...scope, noSecrets: NO_SECRETS }, issues);
  }
  const range = { min: 1, max: CONTROL_LIMITS.concurrency, whole: true };
  checkNumber(concurrency, `${path}.config.concurrency`, range, issues);
  checkSteps(step.steps, `${path}.steps`, 'steps', issues);
}

function checkWhile(
  { step, path }: StepNode,
  config: Record<string, unknown>,
  scope: Omit<ExpressionScope, 'noSecrets'>,
  issues: Issues,
): void {
  checkCondition(config.condition, `${path}.config.condition`, { ...scope, whileCondition: true }, issues);
  const range = { min: 1, max: CONTROL_LIMITS.iterations, whole: true };
  checkNumber(config.max_iterations, `${path}.config.max_iterations`, range, issues);
  checkSteps(step.steps, `${path}.steps`, 'steps', issues);
}

function checkTry({ step, path }: StepNode, issues: Issues): void {
  checkSteps(step.steps, `${path}.steps`, 'steps', issues);
  const handlers = ['catch', 'finally'].filter((key) => Object.hasOwn(step, key));
  if (handlers.length === 0)
    issues.error(path, 'a try needs catch or finally', 'write "catch": [] to go on after a failure');
  for (const key of handlers) checkSteps(step[key], `${path}.${key}`, key, issues);
}
