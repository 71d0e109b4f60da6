/** The door of the workflow language. What is not named here is private to this folder. */
export { blocksOf } from './blocks';
export { compile, nodeTypeIndex } from './compile';
export { CONTROL_LIMITS, type ControlName, controlType } from './control';
export * from './document';
export { type Env, ROOTS } from './expression/env';
export { ExpressionError } from './expression/error';
export { formatDate } from './expression/functions/date-format';
export { compareValues } from './expression/functions/fields';
export { inRange, instantOfNumber, instantOfText, UTC, type Zone, zoneOf } from './expression/functions/instant';
export { equal, jsonSize, setOwn, toText, truthy } from './expression/values';
export * from './place';
export type * from './plan';
export { prepare } from './prepare';
export { stepsUsed, type TemplateRefs, templateRefs } from './refs';
export { retryDelayMs } from './retry';
export { compileCondition, compileTemplate, render, type Template } from './template';
export { type ValidateOptions, type Validation, validateDocument } from './validate';
export { validateCustomTemplate } from './validate-template';
