import type { ErrorDetail } from '../lib/errors';
import { isObject, type JsonObject } from '../lib/json';
import { compileSchema } from '../lib/json-schema';
import { runAtOnce, runSliced } from '../lib/time-slices';
import { nodeTypeIndex } from './compile';
import { ID_PATTERN, LIMITS, type NodeTypeInfo, type NodeTypes } from './document';
import { checkConcurrency } from './validation/concurrency';
import { CheckEnded, Issues, typeName } from './validation/issues';
import { checkKeys, DOCUMENT_KEYS, SCHEMA_KEY } from './validation/keywords';
import { checkFlowControl } from './validation/flow-control';
import { checkLabels } from './validation/labels';
import { checkCycles } from './validation/needs';
import { measure } from './validation/measure';
import { indexDocument, type StepNode } from './validation/document-index';
import { checkDuration, checkId, checkLabel, checkRetry, checkSteps } from './validation/policies';
import { checkExpressions } from './validation/expressions';
import { checkStep } from './validation/step';
import { checkTriggers } from './validation/trigger';

/** The error of a document that is too large to be checked. */
export const DOCUMENT_TOO_LARGE = `larger than ${LIMITS.text / 1024 / 1024} MiB`;

/** Inputs of the validation. Names of secrets and of variables are checked when they are given. */
interface ValidateOptions {
  readonly nodeTypes: NodeTypes;
  readonly secretNames?: ReadonlySet<string>;
  readonly variableNames?: ReadonlySet<string>;
}

/** Errors and warnings about a document. Each finding has a path such as `steps[2].config.url`. */
export interface Validation {
  readonly errors: ErrorDetail[];
  readonly warnings: ErrorDetail[];
}

/**
 * Checks a document whole and reports everything that is wrong at once, up to 100 errors. Without errors it is a
 * WorkflowDocument that `compile` takes. Total on any JSON.
 */
export const validateDocument = (input: unknown, options: ValidateOptions): Validation =>
  runAtOnce(checked(input, options));

/** The same, without holding the thread for long. The document must not change meanwhile. */
export const validateDocumentSliced = (input: unknown, options: ValidateOptions): Promise<Validation> =>
  runSliced(checked(input, options));

function* checked(input: unknown, options: ValidateOptions): Generator<void, Validation> {
  const issues = new Issues();
  try {
    checkSize(input, issues);
    // The document was parsed from JSON, and `checkSize` has checked that it is an object.
    yield* checkDocument(input as JsonObject, options, nodeTypeIndex(options.nodeTypes), issues);
  } catch (fault) {
    if (!(fault instanceof CheckEnded)) throw fault;
  }
  return { errors: issues.errors, warnings: issues.warnings };
}

/** Stops the check of a document that is too large. */
function checkSize(input: unknown, issues: Issues): void {
  if (!isObject(input)) issues.endWith('', `a workflow must be a JSON object, not ${typeName(input)}`);
  const fault = sizeFaultOf(input);
  if (fault !== null) issues.endWith('', fault.message, fault.hint);
}

/** Why a value is too large for a document; null when it is not. */
export const documentSizeFault = (input: unknown): string | null => sizeFaultOf(input)?.message ?? null;

const SPLIT = 'split the workflow';
const KEEP_ELSEWHERE = 'keep data in files or variables';

function sizeFaultOf(input: unknown): { readonly message: string; readonly hint?: string } | null {
  const measured = measure(input, LIMITS);
  switch (measured.kind) {
    case 'too_deep':
      return { message: `nested deeper than ${LIMITS.jsonDepth}` };
    case 'too_long':
      return { message: DOCUMENT_TOO_LARGE, hint: KEEP_ELSEWHERE };
    case 'too_many':
      return { message: `has more than ${LIMITS.values} values`, hint: KEEP_ELSEWHERE };
    case 'measured': {
      const { expressions, expressionText } = measured;
      if (expressions > LIMITS.expressions)
        return { message: `has more than ${LIMITS.expressions} expressions`, hint: SPLIT };
      if (expressionText > LIMITS.expressionText)
        return { message: `its expressions have more than ${LIMITS.expressionText / 1024} KiB`, hint: SPLIT };
      return null;
    }
  }
}

function* checkDocument(
  document: JsonObject,
  { secretNames, variableNames }: ValidateOptions,
  types: ReadonlyMap<string, NodeTypeInfo>,
  issues: Issues,
): Generator<void, void> {
  const { [SCHEMA_KEY]: _schema, ...own } = document;
  checkKeys(own, DOCUMENT_KEYS, '', 'a workflow', issues);
  checkId(document.id, ID_PATTERN, 'id', issues);
  checkLabel(document.name, 'name', issues);
  checkLabel(document.description, 'description', issues);
  checkRetry(document.retry, 'retry', issues);
  checkDuration(document.timeout, 'timeout', issues);
  checkInputs(document.inputs, issues);
  const documentIndex = indexDocument(document, issues);
  const around = { documentIndex, secretNames, variableNames };
  checkTriggers(document, { ...around, types }, issues);
  for (const node of documentIndex.nodes) {
    yield;
    if (checkStepSize(node, issues)) checkStep(node, { ...around, types }, issues);
  }
  yield;
  for (const list of new Set(documentIndex.nodes.map((node) => node.list))) checkCycles(list, issues);
  if (Object.hasOwn(document, 'on_error')) checkSteps(document.on_error, 'on_error', 'on_error', issues);
  checkConcurrency(document.concurrency, around, issues);
  checkFlowControl(document, around, issues);
  checkLabels(document.labels, around, issues);
  const noSecrets = 'a secret may not be used in the output of a workflow: outputs are shown';
  if (document.output === undefined) return;
  yield;
  checkExpressions(document.output, 'output', { ...around, node: null, noSecrets }, issues);
}

/** True when a step has few enough expressions to be checked. */
function checkStepSize({ step, path }: StepNode, issues: Issues): boolean {
  const fault = templateSizeFault(step.config);
  if (fault !== null) issues.error(`${path}.config`, fault, 'use several steps');
  return fault === null;
}

/** Why a value has too many expressions for one step; null when it has not. Larger ones in other respects are none of a document. */
export function templateSizeFault(value: unknown): string | null {
  const measured = measure(value, LIMITS);
  if (measured.kind !== 'measured') return null;
  const { stepExpressions, stepExpressionText } = LIMITS;
  if (measured.expressions > stepExpressions) return `has more than ${stepExpressions} expressions`;
  if (measured.expressionText > stepExpressionText)
    return `its expressions have more than ${stepExpressionText / 1024} KiB`;
  return null;
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
