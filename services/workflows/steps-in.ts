import { blocksOf } from '../../dsl';
import { AppError } from '../../lib/errors';
import { isObject, type JsonObject } from '../../lib/json';

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
