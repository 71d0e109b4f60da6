import { badValue } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Value } from '../bson/value';
import type { Collection } from './collection';
import type { Index } from './index-spec';

/** 1 or -1 for a pattern {$natural: ...}: insertion order, forwards or backwards. */
export function naturalOrder(pattern: Doc | undefined): 1 | -1 | undefined {
  const natural = pattern?.get('$natural');
  if (natural === undefined) return undefined;
  return isNumeric(natural) && toDouble(natural) < 0 ? -1 : 1;
}

/** @throws ServerError 2 (BadValue) when there is no such index */
export function hintedIndex(collection: Collection, hint: Value): Index {
  const index = collection.indexes.find((each) =>
    typeof hint === 'string' ? each.name === hint : samePattern(each, hint),
  );
  if (index === undefined || index.builtTo !== null || index.hidden)
    throw badValue(
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  return index;
}

function samePattern(index: Index, hint: Value): boolean {
  if (!isDoc(hint) || hint.size !== index.fields.length) return false;
  return [...hint].every(([path, direction], i) => {
    const field = index.fields[i];
    return field?.path === path && isNumeric(direction) && toDouble(direction) < 0 === field.descending;
  });
}
