import type { Json, JsonObject } from '../../../lib/json';
import type { NodeRun } from '../../contract';

/** A use of `steps`, with the step where it is named there and then. */
const USE_OF_STEPS = /\bsteps\b(?:\s*(?:\?\.|\.)\s*([A-Za-z_]\w*)|\s*(?:\?\.)?\s*\[\s*(["'`])([\w-]+)\2\s*\])?/g;

const mentions = (source: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(source);

/**
 * What a source sees. Of the run only what it mentions: handing over all that earlier steps put out may cost more than
 * the script. A name in a comment or a text counts as a mention.
 */
export function scopeOf(source: string, input: Json, run: () => NodeRun): JsonObject {
  const scope: JsonObject = { input };
  if (!['trigger', 'steps', 'loop'].some((name) => mentions(source, name))) return scope;
  const { trigger, steps, loop } = run();
  if (mentions(source, 'trigger')) scope.trigger = trigger;
  if (mentions(source, 'steps')) scope.steps = outputsFor(source, steps);
  if (mentions(source, 'loop')) scope.loop = loop;
  return scope;
}

/** The outputs of the steps that are named; all of them where `steps` is used in any other way. */
function outputsFor(source: string, steps: JsonObject): JsonObject {
  const named = new Map<string, Json>();
  for (const [, afterDot, , inBrackets] of source.matchAll(USE_OF_STEPS)) {
    const id = afterDot ?? inBrackets;
    // `steps.hasOwnProperty` is a question about all of them.
    if (id === undefined || (!Object.hasOwn(steps, id) && id in Object.prototype)) return steps;
    if (Object.hasOwn(steps, id)) named.set(id, steps[id] as Json);
  }
  return Object.fromEntries(named);
}
