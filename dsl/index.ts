/** The public API of the workflow language. Everything else in this folder is private. */
export { blocksOf } from './blocks';
export { compile, compileSliced, nodeTypeIndex } from './compile';
export { CONTROL_LIMITS, type ControlName, CONTROL_TYPES, controlType } from './control';
export * from './document';
export { documentOf } from './document-of';
export { type EvaluationContext, type LinkKind, ROOTS } from './expression/evaluation-context';
export type { Expression } from './expression/ast';
export { ExpressionError } from './expression/error';
export { formatDate } from './expression/functions/date-format';
export { compareValues } from './expression/functions/fields';
export { inRange, instantOfNumber, instantOfText, UTC, type Zone, zoneOf } from './expression/functions/instant';
export { equal, jsonSize, setOwn, toText, truthy } from './expression/values';
export * from './step-path';
export type * from './plan';
export { getStep, pinsIn, placedSteps, stepsIn } from './steps-in';
export { isSuppressed, suppressedOutput } from './suppressed';
export { prepare, prepareSliced } from './prepare';
export { membersUsed, stepsUsed, templateRefs } from './refs';
export { retryDelayMs } from './retry';
export { renderKey } from './render-key';
export { renderOnThread, renderSliced } from './render-sliced';
export { compileCondition, compileSource, compileTemplate, render, renderReference, type Template } from './template';
export { type CronFields, readCron } from './validation/cron';
export { DOCUMENT_KEYS, STEP_KEYS } from './validation/keywords';
export {
  namesOfTrigger,
  POLLED_TRIGGERS,
  type Setting,
  TRIGGER_TYPES,
  type TriggerType,
} from './validation/trigger-types';
export {
  DOCUMENT_TOO_LARGE,
  documentSizeFault,
  templateSizeFault,
  type Validation,
  validateDocument,
  validateDocumentSliced,
} from './validate';
export { validateCustomTemplate } from './validate-template';
