import { ServerError } from '../../bson/error';
import { decode, encode } from '../../bson/codec';
import { splitPath } from '../../bson/path';
import type { Doc } from '../../bson/value';
import { ValueSet } from '../../bson/valueset';
import { distinctValues } from '../../query/distinct';
import type { Collection } from '../../store/collection';
import { checkSelection, prepareSelection, scanOf, type Selection } from '../../store/query';
import { MAX_DOCUMENT_BYTES } from '../../store/records';
import type { Reader } from '../../store/scan';
import type { Store } from '../../store/store';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { namedCollection } from '../context';
import { ok, type Reply } from '../reply';
import { collationOption, hintOf } from '../statements';
import { variablesOf } from '../variables';

/** How many documents match: from the counter or from index keys alone where those say it exactly. */
export function* countMatches(
  store: Store,
  reader: Reader,
  collection: Collection,
  selection: Selection,
  most: number,
): Task<number> {
  if (selection.filter.size === 0 && selection.hint === undefined) return Math.min(collection.count, most);
  const prepared = prepareSelection(collection, selection);
  const { plan } = prepared;
  if (plan.kind === 'index' && plan.exact && plan.intervals.every(({ point }) => point === undefined)) {
    let n = 0;
    for (const { start, end } of plan.intervals) n += store.env.at(reader.snapshot).indexes.count({ start, end });
    return Math.min(n, most);
  }
  let n = 0;
  yield* scanOf(store, collection, prepared).run(reader, () => ++n < most);
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
    collation: collationOption(command.value('collation')),
  };
  if (collection === undefined) {
    checkSelection(selection);
    return ok({ n: 0 });
  }
  const most = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
  const n = yield* countMatches(store, reader, collection, selection, most);
  return ok({ n: Math.max(0, n - skip) });
}

/** Below this many bytes a document is counted whole rather than measuring the value. */
const SMALL = 512;

/** Distinct values count every element of an array on its own; a missing field gives none. */
function* distinct(context: Context): Task<Reply> {
  const { command, store, reader } = context;
  const path = command.string('key');
  const collection = namedCollection(context);
  const collation = collationOption(command.value('collation'));
  const values = new ValueSet(collation);
  const selection = {
    filter: command.doc('query') ?? new Map(),
    hint: hintOf(command.value('hint')),
    collation,
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
  // An index that begins with the field gives its values in order, as MongoDB's own plan for distinct does.
  const ordered = prepareSelection(collection, { ...selection, sort: new Map([[path, 1]]) });
  const prepared = ordered.plan.sorted ? ordered : prepareSelection(collection, selection);
  yield* scanOf(store, collection, prepared).run(reader, (_id, raw) => add(decode(raw), raw.length));
  return ok({ values: [...values] });
}

export const COUNT: CommandTable = {
  count: { kind: 'read', fields: new Set(['query', 'limit', 'skip', 'hint', 'collation', 'fields']), run: count },
  distinct: { kind: 'read', fields: new Set(['key', 'query', 'collation', 'hint', 'let']), run: distinct },
};
