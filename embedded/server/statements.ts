import { ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Maybe, Timestamp, type Value } from '../bson/value';
import type { Collection } from '../store/collection';
import { withIdFirst } from '../store/new-document';
import { asHint, checkSelection, prepareSelection, scanOf, type Selection } from '../store/query';
import { idOf } from '../store/records';
import { sortedMatches } from '../store/result-stream';
import type { Reader } from '../store/scan';
import type { Store } from '../store/store';
import type { Task } from '../store/task';
import { checkValidator } from '../store/validation';
import { compileSorter } from '../query/sort';
import { compileUpdate, upsertDocument } from '../update/update';
import { refuseCollation } from './concerns';

/** One change of matching documents, however the client asked for it. */
export interface UpdateStatement extends Selection {
  readonly update: Doc | Value[];
  readonly multi: boolean;
  readonly upsert: boolean;
  readonly arrayFilters?: readonly Value[];
  readonly bypassValidation: boolean;
}

interface UpdateResult {
  matched: number;
  modified: number;
  /** The _id of a document that an upsert inserted. */
  upserted?: Value;
  /** The (last) document before and after. */
  before?: Buffer;
  after?: Buffer;
}

/** Context of statements. */
export interface Target {
  readonly store: Store;
  readonly reader: Reader;
  readonly db: string;
  readonly name: string;
}

/** Matches of a multi statement collected before they are changed: a cursor may or may not see concurrent writes. */
const CHUNK = 64;

/** The collection, created on the first write. */
export function ensureCollection({ store, db, name }: Omit<Target, 'reader'>): Collection {
  return store.catalog.find(db, name) ?? store.catalog.create(db, name, new Map());
}

/** Inserts one document. @throws ServerError 11000, 53, 121 and others */
export function insertDocument(target: Target, bytes: Buffer, bypassValidation: boolean): Buffer {
  const collection = ensureCollection(target);
  const document = withIdFirst(bytes);
  if (!bypassValidation) checkValidator(collection, document);
  target.store.records.insert(collection, document);
  return document;
}

/** Runs an update; with `upsert` it inserts when nothing matches. */
export function* updateDocuments(target: Target, statement: UpdateStatement): Task<UpdateResult> {
  const { store } = target;
  const options = {
    arrayFilters: statement.arrayFilters,
    let: statement.variables,
    multi: statement.multi,
  };
  const update = compileUpdate(statement.update, options);
  const collection = statement.upsert ? ensureCollection(target) : store.catalog.find(target.db, target.name);
  if (collection === undefined) {
    checkSelection(statement);
    return { matched: 0, modified: 0 };
  }
  const moment = { now: new Date(), clusterTime: clusterTime() };
  const result: UpdateResult = { matched: 0, modified: 0 };
  yield* eachMatch(target, collection, statement, statement.multi, (recordId, before) => {
    result.matched++;
    const change = update(before, { ...moment, isInsert: false, filter: statement.filter });
    result.before = before;
    result.after = change?.after ?? before;
    if (change === null) return;
    if (!statement.bypassValidation) checkValidator(collection, change.after, before);
    store.records.replace(collection, recordId, before, change);
    result.modified++;
  });
  if (result.matched > 0 || !statement.upsert) return result;
  const document = upsertDocument(statement.filter, statement.update, options, { ...moment, filter: statement.filter });
  result.after = insertDocument(target, document, statement.bypassValidation);
  result.upserted = idOf(result.after);
  return result;
}

/** Deletes matches; returns the last one's bytes. */
export function* deleteDocuments(
  target: Target,
  selection: Selection,
  multi: boolean,
): Task<{ deleted: number; last?: Buffer }> {
  const collection = target.store.catalog.find(target.db, target.name);
  const result: { deleted: number; last?: Buffer } = { deleted: 0 };
  if (collection === undefined) {
    checkSelection(selection);
    return result;
  }
  if (multi && canEmpty(target.store, collection, selection)) {
    result.deleted = collection.count;
    target.store.catalog.empty(collection);
    target.store.collectGarbage();
    return result;
  }
  yield* eachMatch(target, collection, selection, multi, (recordId, bytes) => {
    target.store.records.remove(collection, recordId, bytes);
    result.deleted++;
    result.last = bytes;
  });
  return result;
}

/** Fewer documents are deleted one by one, which needs no garbage collection. */
const MIN_EMPTIED = 1_000;

/** True when the statement deletes everything and no operation must continue with later documents. */
const canEmpty = ({ cursors }: Store, collection: Collection, { filter, hint }: Selection): boolean =>
  filter.size === 0 &&
  hint === undefined &&
  collection.count >= MIN_EMPTIED &&
  collection.changing === 0 &&
  collection.indexes.every(({ builtTo }) => builtTo === null) &&
  !cursors.isReading(`${collection.db}.${collection.name}`);

type Change = (recordId: number, bytes: Buffer) => void;

function* eachMatch(
  target: Target,
  collection: Collection,
  selection: Selection,
  multi: boolean,
  change: Change,
): Task<void> {
  collection.changing++;
  try {
    yield* changeMatches(target, collection, selection, multi, change);
  } finally {
    collection.changing--;
  }
}

/**
 * Calls `change` for the matches, inside the write transaction. Candidates are collected in chunks and changed after
 * the scan has released its cursor; each record is changed once, even if the change moves it forward in the scanned
 * index.
 */
function* changeMatches(
  target: Target,
  collection: Collection,
  selection: Selection,
  multi: boolean,
  change: Change,
): Task<void> {
  const { store, reader } = target;
  const prepared = prepareSelection(collection, selection);
  const scan = scanOf(store, collection, prepared);
  const { sort } = selection;
  if (sort !== undefined && sort.size > 0 && !prepared.plan.sorted) {
    const [first] = yield* sortedMatches(reader, scan, compileSorter(sort), 1);
    if (first !== undefined) change(first.recordId, current(store, collection, first.recordId));
    return;
  }
  const touched = multi && prepared.plan.kind !== 'collection' ? new Set<number>() : undefined;
  const chunk: { recordId: number; bytes: Buffer; slice: number }[] = [];
  while (!scan.done) {
    chunk.length = 0;
    yield* scan.run(reader, (recordId, bytes) => {
      if (touched?.has(recordId) === true) return true;
      touched?.add(recordId);
      chunk.push({ recordId, bytes, slice: reader.timeSlice.slice });
      return multi && chunk.length < CHUNK;
    });
    if (store.catalog.get(collection.id) !== collection)
      throw new ServerError(175, 'the collection was dropped while it was being changed');
    let changedOne = false;
    for (const { recordId, bytes, slice } of chunk) {
      // Other writers may have run since the slice that read the record.
      const fresh = slice === reader.timeSlice.slice ? bytes : store.records.get(collection, recordId);
      if (fresh === undefined || (fresh !== bytes && prepared.matches !== undefined && !prepared.matches(fresh)))
        continue;
      change(recordId, fresh);
      changedOne = true;
    }
    if (!multi && changedOne) return;
    if (reader.timeSlice.due()) yield;
  }
}

function current(store: Store, collection: Collection, recordId: number): Buffer {
  const bytes = store.records.get(collection, recordId);
  if (bytes === undefined) throw new ServerError('WriteConflict', 'the document was removed meanwhile');
  return bytes;
}

let ticks = 0;

/** An increasing timestamp: seconds, and a counter of the process. */
function clusterTime(): Timestamp {
  ticks = (ticks + 1) >>> 0;
  return new Timestamp((BigInt(Math.floor(Date.now() / 1000)) << 32n) | BigInt(ticks || 1));
}

/** The parts that statements share: filter field, hint, sort, `let`. */
export function selectionOf(
  given: Doc,
  filterField: 'q' | 'query' | 'filter',
  variables?: ReadonlyMap<string, Value>,
): Selection {
  refuseCollation(given.get('collation'));
  const filter = given.get(filterField) ?? new Map();
  const sort = given.get('sort');
  if (!isDoc(filter)) throw new ServerError('TypeMismatch', `${filterField} must be a document`);
  if (sort !== undefined && sort !== null && !isDoc(sort))
    throw new ServerError('TypeMismatch', 'sort must be a document');
  return {
    filter,
    sort: isDoc(sort) ? sort : undefined,
    hint: hintOf(given.get('hint')),
    variables,
  };
}

/** @throws ServerError 9 when a hint is neither a name nor a pattern */
export function hintOf(hint: Maybe): Value | undefined {
  if (hint === undefined || hint === null) return undefined;
  if (typeof hint !== 'string' && !isDoc(hint))
    throw new ServerError('FailedToParse', 'hint must be a string or an object');
  return asHint(hint);
}

/** True for true and for numbers other than zero. */
export const truthy = (value: Maybe): boolean =>
  value === true || (value !== undefined && isNumeric(value) && toDouble(value) !== 0);
