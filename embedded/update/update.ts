import { compilePipeline } from '../aggregate/pipeline';
import { compare } from '../bson/compare';
import { decode } from '../bson/decode';
import { encode } from '../bson/encode';
import { failedToParse, ServerError } from '../bson/error';
import { readField } from '../bson/raw';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import type { Change, UpdateContext } from './leaf';
import { changedId, compileOperators, dollarPrefixed } from './operators';
import { equalitiesOf } from './upsert';

export interface UpdateOptions {
  arrayFilters?: readonly Value[];
  /** Variables that a pipeline may read as `$$name`. */
  let?: ReadonlyMap<string, Value>;
  /** Rejects a replacement document, as `multi` updates must. */
  multi?: boolean;
}

/** The change of a stored document; null when nothing changes. */
export type Update = (before: Buffer, context: UpdateContext) => Change | null;

/** The kind of an update document, decided by its first name. */
type UpdateKind = 'operators' | 'replacement' | 'pipeline';

function kindOfUpdate(update: Doc | Value[]): UpdateKind {
  if (Array.isArray(update)) return 'pipeline';
  return update.keys().next().value?.startsWith('$') === true ? 'operators' : 'replacement';
}

/**
 * Operators, a replacement document, or a pipeline (an array).
 * @throws ServerError FailedToParse (9), ConflictingUpdateOperators (40) and others
 */
export function compileUpdate(update: Doc | Value[], options: UpdateOptions = {}): Update {
  const arrayFilters = options.arrayFilters ?? [];
  const kind = kindOfUpdate(update);
  if (kind === 'operators') {
    return compileOperators(update as Doc, { arrayFilters });
  }
  if (arrayFilters.length > 0) throw failedToParse(`Cannot specify arrayFilters for a ${kind}-style update`);
  return kind === 'pipeline' ? byPipeline(update as Value[], options) : byReplacement(update as Doc, options);
}

function byReplacement(replacement: Doc, options: UpdateOptions): Update {
  if (options.multi === true) throw failedToParse('multi update is not supported for replacement-style update');
  const dollar = [...replacement.keys()].find((name) => name.startsWith('$'));
  return (before, { isInsert }) => {
    if (dollar !== undefined && !isInsert) throw dollarPrefixed(dollar);
    return replacedBy(before, replacement);
  };
}

/** Stages that map one document to one document. */
const STAGES = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

function byPipeline(stages: readonly Value[], options: UpdateOptions): Update {
  for (const stage of stages) {
    const name = isDoc(stage) ? stage.keys().next().value : undefined;
    if (name !== undefined && !STAGES.has(name)) {
      throw new ServerError('InvalidOptions', `${name} is not allowed to be used within an update`);
    }
  }
  const compile = (now: Date) => compilePipeline(stages, { now, let: options.let, collection: () => [] });
  let compiled = { now: new Date(0), pipeline: compile(new Date(0)) };
  return (before, { now }) => {
    // $$NOW is part of the compiled stages; an update command has one time, so this happens once.
    if (compiled.now.getTime() !== now.getTime()) compiled = { now, pipeline: compile(now) };
    const [result] = compiled.pipeline.run([decode(before)]);
    return replacedBy(before, result as Doc);
  };
}

/** A whole new document, which keeps the old `_id`. */
function replacedBy(before: Buffer, replacement: Doc): Change | null {
  const id = readField(before, '_id');
  const result = withIdFirst(replacement, replacement.has('_id') ? replacement.get('_id') : id);
  if (id !== undefined && compare(id, result.get('_id')) !== 0)
    throw changedId("After applying the update, the (immutable) field '_id' was found to have been altered");
  const after = encode(result);
  return after.equals(before) ? null : { after };
}

/** The same document with `_id` first, as storage requires. */
function withIdFirst(document: Doc, id: Maybe): Doc {
  if (id === undefined || document.keys().next().value === '_id') return document;
  const result: Doc = new Map([['_id', id]]);
  for (const [name, value] of document) if (name !== '_id') result.set(name, value);
  return result;
}

/**
 * The document that an upsert inserts when nothing matched: the filter's equalities, then the update.
 * It has an `_id` only when the filter or the update gave one; the caller adds a fresh ObjectId otherwise.
 */
export function upsertDocument(
  filter: Doc,
  update: Doc | Value[],
  options: UpdateOptions,
  context: Omit<UpdateContext, 'isInsert'>,
): Buffer {
  const base = encode(equalitiesOf(filter, kindOfUpdate(update) === 'replacement' ? 'id' : 'all'));
  return compileUpdate(update, options)(base, { ...context, isInsert: true })?.after ?? base;
}
