import type { JsonObject } from '../../../lib/json';
import { computed } from '../computed';
import { buildXml } from './build';
import { parseXml } from './parse';

/** The input, validated by the schema: the fields of the operation are present. */
type XmlInput =
  | { operation: 'parse'; text: string; lists?: string[]; trim?: boolean }
  | { operation: 'build'; value: JsonObject; declaration?: boolean; indent?: number };

/** Reads or writes XML. */
export const run = computed('xml', (given): JsonObject => {
  // The runtime has checked the input against the input schema.
  const input = given as unknown as XmlInput;
  if (input.operation === 'parse') {
    return { value: parseXml(input.text, { lists: new Set(input.lists), trim: input.trim ?? true }) };
  }
  return { text: buildXml(input.value, { declaration: input.declaration ?? true, indent: input.indent ?? 0 }) };
});
