import { isObject, type JsonObject, type Path } from './path';
import { outermost } from './edit';
import { placesOf } from './walk';

/** The text of steps for the clipboard: a list of steps as JSON. */
export const copiedText = (document: JsonObject, paths: readonly Path[]): string =>
  JSON.stringify(
    outermost(placesOf(document), paths).map(({ step }) => step),
    null,
    2,
  );

/** What a pasted value is: steps, or a whole document; null for anything else. */
export function pasted(value: unknown): { steps: readonly JsonObject[] } | { document: JsonObject } | null {
  if (isObject(value) && Array.isArray(value.steps) && !('type' in value)) return { document: value };
  const steps: readonly unknown[] = Array.isArray(value) ? value : [value];
  const all = steps.filter((step): step is JsonObject => isObject(step) && typeof step.type === 'string');
  return all.length > 0 && all.length === steps.length ? { steps: all } : null;
}
