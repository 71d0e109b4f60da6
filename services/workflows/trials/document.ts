import {
  controlType,
  getStep,
  isSuppressed,
  nodeTypeIndex,
  type NodeTypes,
  stepsIn,
  suppressedOutput,
} from '../../../dsl';
import { AppError, type ErrorDetail } from '../../../lib/errors';
import { isObject, type JsonObject } from '../../../lib/json';
import { upToStep } from './until-step';

/** How a document is tried. */
interface TrialRules {
  readonly untilStep?: string | undefined;
  readonly pins: JsonObject;
  readonly suppressWrites: boolean;
}

/** A document as a trial runs it, with the ids of the steps that do not run. */
interface TrialDocument {
  readonly document: JsonObject;
  readonly pinned: string[];
  readonly suppressed: string[];
}

const FLOW_KEYS = ['concurrency', 'throttle', 'rate_limit', 'debounce', 'batch', 'priority'] as const;

/** It has no effect of its own, but starts steps that may have any. */
const STARTS_OTHERS = 'sub_workflow';

/**
 * The document that a trial of a valid document runs. Runs of the workflow must not wait for a trial, or be cancelled by
 * one, so it has no limits of runs. @throws AppError not_found, invalid_request
 */
export function trialDocument(dsl: JsonObject, nodeTypes: NodeTypes, rules: TrialRules): TrialDocument {
  const { untilStep, pins, suppressWrites } = rules;
  if (untilStep !== undefined) getStep(dsl, untilStep);
  const document = untilStep === undefined ? structuredClone(dsl) : upToStep(dsl, untilStep);
  for (const key of FLOW_KEYS) delete document[key];
  assertPins(dsl, pins);
  const types = nodeTypeIndex(nodeTypes);
  const [pinned, suppressed]: [string[], string[]] = [[], []];
  for (const step of stepsIn([document.steps, document.on_error])) {
    const [id, type] = [String(step.id), String(step.type)];
    if (Object.hasOwn(pins, id)) step.pin = pins[id] as JsonObject;
    else if (step.pin === undefined && suppressWrites && controlType(type) === null && mayWrite(step, type, types)) {
      step.pin = suppressedOutput(type);
    }
    if (isObject(step.pin)) (isSuppressed(step.pin) ? suppressed : pinned).push(id);
  }
  return { document, pinned, suppressed };
}

/** A type that is not known may do anything. */
function mayWrite(step: JsonObject, type: string, types: ReturnType<typeof nodeTypeIndex>): boolean {
  const info = types.get(type);
  if (info === undefined || info.type === STARTS_OTHERS) return true;
  const config = isObject(step.config) ? step.config : {};
  return (info.effect?.(config) ?? 'write') === 'write';
}

/** @throws AppError invalid_request */
function assertPins(dsl: JsonObject, pins: JsonObject): void {
  const steps = new Map([...stepsIn([dsl.steps, dsl.on_error])].map((step) => [String(step.id), step]));
  const details = Object.keys(pins).flatMap((id): ErrorDetail[] => {
    const step = steps.get(id);
    if (step === undefined) return [{ path: `pins.${id}`, message: 'the document has no such step' }];
    const holdsOthers = controlType(String(step.type)) !== null;
    return holdsOthers ? [{ path: `pins.${id}`, message: 'a step that holds others cannot be pinned' }] : [];
  });
  if (details.length === 0) return;
  throw new AppError(
    'invalid_request',
    `'pins' names steps that cannot be pinned: ${details[0]?.path} ${details[0]?.message}`,
    {
      details,
    },
  );
}
