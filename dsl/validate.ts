import type { ErrorDetail } from '../lib/errors';
import { isObject, type Json } from '../lib/json';
import { compileSchema } from '../lib/json-schema';
import { nodeTypeIndex } from './compile';
import { ID_PATTERN, LIMITS, type NodeTypeInfo, type NodeTypes } from './document';
import { checkConcurrency } from './validation/concurrency';
import { Issues, typeName } from './validation/issues';
import { checkKeys, DOCUMENT_KEYS } from './validation/keywords';
import { checkCircles } from './validation/needs';
import { outlineOf } from './validation/outline';
import { checkDuration, checkId, checkLabel, checkRetry, checkSteps } from './validation/policies';
import { checkExpressions } from './validation/expressions';
import { checkStep } from './validation/step';
import { checkTriggers } from './validation/trigger';

/** What a document is checked against. Names of secrets and of variables are checked where they are given. */
export interface ValidateOptions {
  readonly nodeTypes: NodeTypes;
  readonly secretNames?: ReadonlySet<string>;
  readonly variableNames?: ReadonlySet<string>;
}

/** What is wrong with a document, and what is doubtful. Each finding has a path such as `steps[2].config.url`. */
export interface Validation {
  readonly errors: ErrorDetail[];
  readonly warnings: ErrorDetail[];
}

/**
 * Checks a document whole and tells everything that is wrong at once. Without errors it is a WorkflowDocument that
 * `compile` takes. Total on any JSON.
 */
export function validateDocument(input: unknown, options: ValidateOptions): Validation {
  const issues = new Issues();
  if (!isObject(input)) issues.error('', `a workflow must be a JSON object, not ${typeName(input)}`);
  else if (isDeeperThan(input, LIMITS.jsonDepth)) issues.error('', `nested deeper than ${LIMITS.jsonDepth}`);
  else if (expressionsIn(input) > LIMITS.expressions) {
    issues.error('', `has more than ${LIMITS.expressions} expressions`, 'split the workflow');
  } else checkDocument(input, options, nodeTypeIndex(options.nodeTypes), issues);
  return { errors: issues.errors, warnings: issues.warnings };
}

function checkDocument(
  document: Record<string, unknown>,
  { secretNames, variableNames }: ValidateOptions,
  types: ReadonlyMap<string, NodeTypeInfo>,
  issues: Issues,
): void {
  checkKeys(document, DOCUMENT_KEYS, '', 'a workflow', issues);
  checkId(document.id, ID_PATTERN, 'id', issues);
  checkLabel(document.name, 'name', issues);
  checkLabel(document.description, 'description', issues);
  checkRetry(document.retry, 'retry', issues);
  checkDuration(document.timeout, 'timeout', issues);
  checkInputs(document.inputs, issues);
  const outline = outlineOf(document, issues);
  const around = { outline, secretNames, variableNames };
  checkTriggers(document, around, issues);
  for (const site of outline.sites) checkStep(site, { ...around, types }, issues);
  for (const list of new Set(outline.sites.map((site) => site.list))) checkCircles(list, issues);
  if (Object.hasOwn(document, 'on_error')) checkSteps(document.on_error, 'on_error', 'on_error', issues);
  checkConcurrency(document.concurrency, around, issues);
  const noSecrets = 'a secret may not be used in the output of a workflow: outputs are shown';
  if (document.output === undefined) return;
  // Whoever parsed the document parsed JSON, so its parts are JSON.
  checkExpressions(document.output as Json, 'output', { ...around, site: null, noSecrets }, issues);
}

/** Checks the JSON Schema of what a run is started with. */
function checkInputs(inputs: unknown, issues: Issues): void {
  if (inputs === undefined) return;
  if (!isObject(inputs)) {
    issues.error('inputs', `must be a JSON Schema, an object, not ${typeName(inputs)}`, INPUTS_HINT);
    return;
  }
  const compiled = compileSchema(inputs);
  if (compiled.kind === 'usable') return;
  for (const { path, message } of compiled.faults) issues.error(path === '' ? 'inputs' : `inputs.${path}`, message);
}

const INPUTS_HINT = 'write {"type": "object", "properties": {...}, "required": [...]}';

/** How often braces open in the texts of a document: about how many expressions there are to be read. */
function expressionsIn(value: unknown): number {
  if (typeof value === 'string') return value.split('{{').length - 1;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((count: number, each) => count + expressionsIn(each), 0);
}

function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
