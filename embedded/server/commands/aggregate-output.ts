import { encode } from '../../bson/codec';
import type { Terminal } from '../../aggregate/pipeline';
import { ServerError } from '../../bson/error';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import type { Collection } from '../../store/collection';
import { checkNamespace } from '../../store/namespace';
import { newObjectId } from '../../store/new-document';
import type { Task } from '../../store/task';
import type { Context } from '../context';
import { ensureCollection, insertDocument, type Target, updateDocuments } from '../statements';
import { evaluateVariables, variablesOf } from '../variables';
import { dropCollection } from './collections';

type Output = Context & { readonly results: Iterable<Doc> };

let nextTemporary = 1;

/**
 * `$out`: fills a collection of another name that has the target's indexes, then puts it in the target's place in one
 * transaction, so that readers see the old content or the new.
 */
export function* writeOut(output: Output, db: string, name: string): Task<void> {
  const { store, reader, results, command } = output;
  checkNamespace(db, name);
  const old = store.catalog.find(db, name);
  const temporary = `tmp.agg_out.${process.pid}.${nextTemporary++}`;
  const fresh = store.catalog.create(db, temporary, old?.options ?? new Map());
  for (const index of old?.indexes.slice(1) ?? [])
    if (index.builtTo === null) store.catalog.addIndex(fresh, index.spec);
  store.catalog.save(fresh);
  try {
    const bypass = command.boolean('bypassDocumentValidation');
    for (const document of results) {
      insertDocument({ store, reader, db, name: temporary }, encode(document), bypass);
      if (reader.pace.due()) yield;
    }
  } catch (error) {
    if (error instanceof ServerError) store.catalog.drop(fresh);
    throw error;
  }
  const present = store.catalog.find(db, name);
  if (present !== undefined) dropCollection(output, present);
  store.catalog.rename(fresh, db, name);
  store.collectGarbage();
}

type MergeSpec = Extract<Terminal, { kind: 'merge' }>;

/** `$merge`: each result meets the document with the same `on` fields, which a unique index must cover. */
export function* writeMerge(output: Output, spec: MergeSpec): Task<void> {
  const { store, reader, results, command } = output;
  const target: Target = { store, reader, db: spec.db ?? output.db, name: spec.collection };
  checkNamespace(target.db, target.name);
  checkUnique(ensureCollection(target), spec.on);
  const bypass = command.boolean('bypassDocumentValidation');
  for (const result of results) {
    const document = result.has('_id') ? result : new Map<string, Value>([['_id', newObjectId()], ...result]);
    const filter: Doc = new Map(spec.on.map((path) => [path, keyOf(document, path)]));
    const matched = yield* mergeMatched(output, target, spec, filter, document, bypass);
    if (!matched) mergeNew(target, spec, document, bypass);
    if (reader.pace.due()) yield;
  }
}

function keyOf(document: Doc, path: string): Value {
  let value: Maybe = document;
  for (const part of path.split('.')) value = isDoc(value) ? value.get(part) : undefined;
  if (value === undefined || value === null || Array.isArray(value))
    throw new ServerError(51132, "$merge write error: 'on' field cannot be missing, null, undefined or an array");
  return value;
}

function checkUnique(collection: Collection, on: readonly string[]): void {
  const covered = collection.indexes.some(
    ({ unique, partial, sparse, fields, builtTo }) =>
      unique &&
      !sparse &&
      partial === undefined &&
      builtTo === null &&
      fields.length === on.length &&
      fields.every(({ path }) => on.includes(path)),
  );
  if (!covered) throw new ServerError(51183, 'Cannot find index to verify that join fields will be unique');
}

/** @returns false when nothing in the target matches */
function* mergeMatched(
  output: Output,
  target: Target,
  spec: MergeSpec,
  filter: Doc,
  document: Doc,
  bypass: boolean,
): Task<boolean> {
  const { whenMatched } = spec;
  const statement = {
    filter,
    multi: false,
    upsert: false,
    bypassValidation: bypass,
    variables: mergeVariables(output, spec, document),
  };
  if (whenMatched === 'keepExisting' || whenMatched === 'fail') {
    const { matched } = yield* updateDocuments(target, { ...statement, update: [] });
    if (matched > 0 && whenMatched === 'fail')
      throw new ServerError('DuplicateKey', 'E11000 duplicate key error: $merge with whenMatched: fail', {
        keyPattern: new Map([...filter.keys()].map((path) => [path, 1])),
        keyValue: filter,
      });
    return matched > 0;
  }
  const update = Array.isArray(whenMatched)
    ? whenMatched
    : whenMatched === 'replace'
      ? replacement(document, filter)
      : merging(document);
  return (yield* updateDocuments(target, { ...statement, update })).matched > 0;
}

/** A replacement keeps the target's _id when documents are told apart by other fields. */
const replacement = (document: Doc, filter: Doc): Doc =>
  filter.has('_id') ? document : new Map([...document].filter(([name]) => name !== '_id'));

const merging = (document: Doc): Value[] => {
  const fields: Doc = new Map(
    [...document].filter(([name]) => name !== '_id').map(([name, value]) => [name, new Map([['$literal', value]])]),
  );
  return fields.size === 0 ? [] : [new Map([['$set', fields]])];
};

/** `$$new` is the result itself unless the stage names its own variables, which are computed from the result. */
function mergeVariables(output: Output, spec: MergeSpec, document: Doc): ReadonlyMap<string, Value> {
  const outer = variablesOf(output);
  if (spec.let === undefined) return new Map<string, Value>([['new', document], ...outer]);
  return evaluateVariables(spec.let, outer, document);
}

function mergeNew(target: Target, { whenNotMatched }: MergeSpec, document: Doc, bypass: boolean): void {
  if (whenNotMatched === 'discard') return;
  if (whenNotMatched === 'fail')
    throw new ServerError(
      13113,
      '$merge could not find a matching document in the target collection for at least one document in the source collection',
    );
  insertDocument(target, encode(document), bypass);
}
