import { type FieldPath, parseFieldPath, valueAt } from '../../lib/field-path';
import type { Json } from '../../lib/json';
import type { JsonSchema } from '../contract';
import { misconfigured } from './computed';
import { filledText } from '../schema';

/** A field of an item, as authors name it. */
const FIELD_EXAMPLE = 'customer.address[0].city';

/** A key of a node's input that names a field. */
export const fieldSchema = (title: string, description: string): JsonSchema =>
  filledText(`${description} A name, or a path such as ${FIELD_EXAMPLE}.`, FIELD_EXAMPLE, { title, maxLength: 500 });

/** Reads the field of an item, null if it is missing; without a field the item itself. @throws Refusal */
export function fieldReader(field: string | undefined): (item: Json) => Json {
  if (field === undefined) return (item) => item;
  const path = fieldPath(field);
  return (item) => valueAt(item, path) ?? null;
}

/** @throws Refusal when the text is no path */
export function fieldPath(field: string): FieldPath {
  const path = parseFieldPath(field);
  if (path === null) throw misconfigured(`"${field}" is not the path of a field, such as ${FIELD_EXAMPLE}`);
  return path;
}
