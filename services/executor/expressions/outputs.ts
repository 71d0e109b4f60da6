import { pinsIn } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';

/** An object with the members of another one, each converted when it is first read. No prototype: ids come from users. */
export function lazily(values: Json, convert: (value: Json) => Json): JsonObject {
  const object = Object.create(null) as JsonObject;
  if (!isObject(values)) return object;
  for (const name of Object.keys(values)) define(object, name, () => convert(values[name] as Json));
  return object;
}

/** Outputs by step id: those of a sample, else of the run, else those that the document pins. */
export function outputsOf(dsl: JsonObject | undefined, run: JsonObject, sample: Json | undefined): JsonObject {
  const object = Object.create(null) as JsonObject;
  for (const outputs of [dsl === undefined ? {} : pinsIn(dsl), run, isObject(sample) ? sample : {}])
    for (const name of Object.keys(outputs)) define(object, name, () => outputs[name] as Json);
  return object;
}

function define(object: JsonObject, name: string, read: () => Json): void {
  let known: { readonly value: Json } | null = null;
  Object.defineProperty(object, name, {
    enumerable: true,
    configurable: true,
    get: () => {
      known ??= { value: read() };
      return known.value;
    },
  });
}
