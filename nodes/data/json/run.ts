import type { Json, JsonObject } from '../../../lib/json';
import { valueAt } from '../../../lib/field-path';
import { computed } from '../computed';
import { fieldPath } from '../field';
import { membersNamed, merge, objectIn, omit, pick } from './members';
import { parseJson, sorted, writeJson } from './text';

/** The input as its schema promises it: what an operation needs is there. */
type JsonInput =
  | { operation: 'parse'; text: string }
  | { operation: 'stringify'; value: Json; indent?: number; sort_keys?: boolean }
  | { operation: 'get'; value: Json; path: string; default?: Json }
  | { operation: 'pick' | 'omit'; value: Json; fields: string[] }
  | { operation: 'merge'; values: Json[]; deep?: boolean };

/** One operation on JSON values. */
export const run = computed((given): JsonObject => {
  // The runtime has checked the input against the manifest's schema.
  const input = given as unknown as JsonInput;
  switch (input.operation) {
    case 'parse':
      return { value: parseJson(input.text) };
    case 'stringify': {
      const value = input.sort_keys === true ? sorted(input.value) : input.value;
      return { text: writeJson(value, input.indent ?? 0) };
    }
    case 'get':
      return { value: valueAt(input.value, fieldPath(input.path)) ?? input.default ?? null };
    case 'pick':
      return { value: pick(objectIn(input.value, 'value'), membersNamed(input.fields)) };
    case 'omit':
      return { value: omit(objectIn(input.value, 'value'), membersNamed(input.fields)) };
    case 'merge':
      return { value: merge(input.values, input.deep ?? false) };
  }
});
