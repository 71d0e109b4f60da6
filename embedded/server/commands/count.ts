import { ServerError } from '../../bson/error';
import { decode } from '../../bson/decode';
import { encode } from '../../bson/encode';
import { isIndex, splitPath } from '../../bson/path';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { ValueSet } from '../../bson/valueset';
import type { Collection } from '../../store/collection';
import { checkSelection, prepareSelection, scanOf, type Selection } from '../../store/query';
import { MAX_DOCUMENT_BYTES } from '../../store/records';
import type { Reader } from '../../store/scan';
import type { Store } from '../../store/store';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { namedCollection } from '../context';
import { ok, type Reply } from '../reply';
import { hintOf } from '../statements';
import { variablesOf } from '../variables';

/** Counts matches: from the counter or from index keys alone where these are exact. */
export function* countMatches(
  store: Store,
  reader: Reader,
  collection: Collection,
  selection: Selection,
  max: number,
): Task<number> {
  if (selection.filter.size === 0 && selection.hint === undefined) return Math.min(collection.count, max);
  const prepared = prepareSelection(collection, selection);
  const { plan } = prepared;
  if (plan.kind === 'index' && plan.exact && plan.intervals.every(({ point }) => point === undefined)) {
    let n = 0;
    for (const { start, end } of plan.intervals) n += store.env.at(reader.snapshot).indexes.count({ start, end });
    return Math.min(n, max);
  }
  let n = 0;
  yield* scanOf(store, collection, prepared).run(reader, () => ++n < max);
  return n;
}

function* count(context: Context): Task<Reply> {
  const { command, store, reader } = context;
  const collection = namedCollection(context);
  const skip = command.count('skip') ?? 0;
  const limit = Math.abs(command.integer('limit') ?? 0);
  const selection = {
    filter: command.doc('query') ?? new Map(),
    hint: hintOf(command.value('hint')),
  };
  if (collection === undefined) {
    checkSelection(selection);
    return ok({ n: 0 });
  }
  const max = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  const n = yield* countMatches(store, reader, collection, selection, max);
  return ok({ n: Math.max(0, n - skip) });
}

/** Documents below this size are counted whole instead of measuring the value. */
const SMALL = 512;

/** Distinct values count every array element separately; a missing field has none. */
function* distinct(context: Context): Task<Reply> {
  const { command, store, reader } = context;
  const path = command.string('key');
  const collection = namedCollection(context);
  const values = new ValueSet();
  const selection = {
    filter: command.doc('query') ?? new Map(),
    hint: hintOf(command.value('hint')),
    variables: variablesOf(context),
  };
  if (collection === undefined) checkSelection(selection);
  const parts = splitPath(path);
  if (collection === undefined || parts.includes('')) return ok({ values: [] });
  let bytes = 0;
  const add = (document: Doc, size: number): boolean => {
    for (const value of distinctValues(document, parts))
      if (values.add(value)) bytes += size < SMALL ? size : encode(new Map([['', value]])).length;
    if (bytes > MAX_DOCUMENT_BYTES) throw new ServerError(17217, 'distinct too big, 16mb cap');
    return true;
  };
  // An index on the field returns its values in order, as MongoDB's plan for distinct does.
  const ordered = prepareSelection(collection, { ...selection, sort: new Map([[path, 1]]) });
  const prepared = ordered.plan.sorted ? ordered : prepareSelection(collection, selection);
  yield* scanOf(store, collection, prepared).run(reader, (_id, raw) => add(decode(raw), raw.length));
  return ok({ values: [...values] });
}

/**
 * The values that `distinct` reports for one document: at the end of the path the elements of an array each on its own.
 * Unlike in a filter, a number in the path is only a position where it meets an array, and arrays within arrays are
 * searched. A missing field gives nothing.
 */
function distinctValues(value: Maybe, path: readonly string[], depth = 0): Value[] {
  const part = path[depth];
  if (part === undefined) return Array.isArray(value) ? value : value === undefined ? [] : [value];
  if (isDoc(value)) return distinctValues(value.get(part), path, depth + 1);
  if (!Array.isArray(value)) return [];
  if (isIndex(part)) return distinctValues(value[Number(part)], path, depth + 1);
  return value.flatMap((entry) => (isDoc(entry) || Array.isArray(entry) ? distinctValues(entry, path, depth) : []));
}

export const COUNT: CommandTable = {
  count: { kind: 'read', fields: new Set(['query', 'limit', 'skip', 'hint', 'collation', 'fields']), run: count },
  distinct: { kind: 'read', fields: new Set(['key', 'query', 'collation', 'hint', 'let']), run: distinct },
};
