import { compilePipeline } from '../aggregate/pipeline';
import { failedToParse, ServerError } from '../bson/error';
import { identical } from '../bson/identical';
import { type Doc, isDoc, type Value } from '../bson/value';
import { assertSameId, dollarPrefixed, withIdFirst } from './identity';
import type { UpdateContext } from './leaf';
import { compileOperators } from './operators';
import { equalitiesOf } from './upsert';

export interface UpdateOptions {
  arrayFilters?: readonly Value[];
  /** Variables that a pipeline may read as `$$name`. */
  let?: ReadonlyMap<string, Value>;
  /** Rejects a replacement document, as `multi` updates must. */
  multi?: boolean;
}

/** The new document; the same reference when nothing changed. The input is not modified, parts are shared. */
export type Update = (document: Doc, context: UpdateContext) => Doc;

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
  return (document, { isInsert }) => {
    if (dollar !== undefined && !isInsert) throw dollarPrefixed(dollar);
    return withIdentity(document, replacement);
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
  return (document, { now }) => {
    // $$NOW is part of the compiled stages; an update command has one time, so this happens once.
    if (compiled.now.getTime() !== now.getTime()) compiled = { now, pipeline: compile(now) };
    const [result] = compiled.pipeline.run([document]);
    return withIdentity(document, result as Doc);
  };
}

/** A replacement document with the old `_id`. */
function withIdentity(before: Doc, after: Doc): Doc {
  const id = before.get('_id');
  const result = after.has('_id') || id === undefined ? withIdFirst(after) : withIdFirst(after, id);
  assertSameId(before, result, "After applying the update, the (immutable) field '_id' was found to have been altered");
  return identical(before, result) ? before : result;
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
): Doc {
  const base = equalitiesOf(filter, kindOfUpdate(update) === 'replacement' ? 'id' : 'all');
  return withIdFirst(compileUpdate(update, options)(base, { ...context, isInsert: true }));
}
