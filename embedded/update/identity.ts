import { compare } from '../bson/compare';
import { ServerError } from '../bson/error';
import type { Doc } from '../bson/value';

/** An `_id` is immutable. @throws ServerError ImmutableField (66) */
export function assertSameId(before: Doc, after: Doc, message: string): void {
  const id = before.get('_id');
  if (id !== undefined && compare(id, after.get('_id')) !== 0) throw new ServerError('ImmutableField', message);
}

/** The same document with `_id` first, as storage requires. */
export function withIdFirst(document: Doc, id = document.get('_id')): Doc {
  if (id === undefined || document.keys().next().value === '_id') return document;
  const result: Doc = new Map([['_id', id]]);
  for (const [name, value] of document) if (name !== '_id') result.set(name, value);
  return result;
}

/** The error for a field name that begins with a dollar. */
export const dollarPrefixed = (name: string): ServerError =>
  new ServerError(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
