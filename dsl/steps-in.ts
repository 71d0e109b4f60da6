import { blocksOf } from './blocks';
import { AppError } from '../lib/errors';
import { isObject, type JsonObject } from '../lib/json';

/** Every step of a valid document, or of a part of one, at whatever depth: the steps themselves, no copies. */
export function* stepsIn(lists: readonly unknown[]): Generator<JsonObject> {
  for (const step of lists.flat()) {
    // What the language has accepted as steps are JSON objects.
    if (!isObject(step)) continue;
    yield step as JsonObject;
    yield* stepsIn(blocksOf(step).map((block) => block.steps));
  }
}

/** The step of an id, wherever it stands in a document. @throws AppError not_found */
export function getStep(dsl: JsonObject, id: string): JsonObject {
  for (const step of stepsIn([dsl.steps, dsl.on_error])) if (step.id === id) return step;
  throw new AppError('not_found', `The workflow has no step ${id}`);
}

/** A step with its path in the document, such as `steps[2].cases[0].steps[1]`. */
interface PlacedStep {
  readonly path: string;
  readonly step: JsonObject;
}

/** Every step of a document with its path, also where the rest of the document is not valid. */
export function* placedSteps(holder: unknown, around = ''): Generator<PlacedStep> {
  if (!isObject(holder)) return;
  for (const block of blocksOf(holder)) {
    for (const [index, step] of block.steps.entries()) {
      const path = `${around === '' ? '' : `${around}.`}${block.path}[${index}]`;
      if (isObject(step)) yield { path, step: step as JsonObject };
      yield* placedSteps(step, path);
    }
  }
}

/** The outputs that are pinned in a document, by step. */
export const pinsIn = (dsl: JsonObject): JsonObject =>
  Object.fromEntries(
    [...stepsIn([dsl.steps, dsl.on_error])].flatMap(({ id, pin }) =>
      pin === undefined ? [] : [[String(id), pin] as const],
    ),
  );
