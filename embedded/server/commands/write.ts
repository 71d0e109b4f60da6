import { ServerError } from '../../bson/error';
import { isNumeric, toDouble } from '../../bson/numeric';
import { type Doc, isDoc, type Value } from '../../bson/value';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { members, ok, type Reply } from '../reply';
import {
  deleteDocuments,
  ensureCollection,
  insertDocument,
  selectionOf,
  type Target,
  truthy,
  updateDocuments,
  type UpdateStatement,
} from '../statements';
import { variablesOf } from '../variables';

const MAX_BATCH = 100_000;

const targetOf = ({ store, reader, db, command }: Context): Target => ({
  store,
  reader,
  db,
  name: command.string(command.name),
});

/** The statements of a write command. @throws ServerError 16 when there are none or too many */
function checkCount(items: readonly unknown[] | undefined, field: string): void {
  if (items === undefined) throw new ServerError(40414, `BSON field '${field}' is missing but a required field`);
  if (items.length === 0 || items.length > MAX_BATCH)
    throw new ServerError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${items.length} operations.`,
    );
}

/** The `writeErrors` entry of a failed statement. */
function writeError(index: number, error: ServerError): Doc {
  const entry = members({ index, code: error.code });
  for (const [name, value] of Object.entries(error.details ?? {})) entry.set(name, value as Value);
  return entry.set('errmsg', error.message);
}

/**
 * Runs statements one after another. A failed one is recorded and, when ordered, ends the command; earlier ones stay,
 * as each document is its own write.
 */
function* eachStatement<T>(
  context: Context,
  statements: readonly T[],
  run: (statement: T, index: number) => Task<void>,
): Task<Doc[]> {
  const ordered = context.command.boolean('ordered', true);
  const errors: Doc[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      yield* run(statement, index);
    } catch (error) {
      if (!(error instanceof ServerError) || INTERRUPTIONS.has(error.code)) throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
    if (context.reader.timeSlice.due()) yield;
  }
  return errors;
}

/** A timeout or kill ends the command, not just a statement. */
const INTERRUPTIONS = new Set([50, 11601]);

function* insert(context: Context): Task<Reply> {
  const { command } = context;
  const documents = command.documents('documents');
  checkCount(documents, 'insert.documents');
  const target = targetOf(context);
  const bypass = command.boolean('bypassDocumentValidation');
  ensureCollection(target);
  let n = 0;
  const errors = yield* eachStatement(context, documents ?? [], function* (bytes) {
    insertDocument(target, bytes, bypass);
    n++;
  });
  return ok({ n, writeErrors: errors.length > 0 ? errors : undefined });
}

const UPDATE_FIELDS = new Set(
  'q u c upsert multi collation arrayFilters hint sort sampleId upsertSupplied allowShardKeyUpdatesWithoutFullShardKeyInQuery'.split(
    ' ',
  ),
);

/** One member of `updates`. */
export function updateStatementOf(
  given: Doc,
  filterField: 'q' | 'filter',
  updateField: string,
  context: Context,
): UpdateStatement {
  const update = given.get(updateField);
  if (!isDoc(update) && !Array.isArray(update))
    throw new ServerError('FailedToParse', 'Update argument must be either an object or an array');
  const arrayFilters = given.get('arrayFilters');
  if (arrayFilters !== undefined && !Array.isArray(arrayFilters))
    throw new ServerError('TypeMismatch', 'arrayFilters must be an array');
  const multi = truthy(given.get('multi'));
  if (multi && given.has('sort')) throw new ServerError('FailedToParse', 'Cannot specify sort with multi=true');
  return {
    ...selectionOf(
      given,
      filterField,
      variablesOf(context, isDoc(given.get('c')) ? (given.get('c') as Doc) : undefined),
    ),
    update,
    multi,
    upsert: truthy(given.get('upsert')),
    arrayFilters,
    bypassValidation: context.command.boolean('bypassDocumentValidation'),
  };
}

function* update(context: Context): Task<Reply> {
  const statements = context.command.docs('updates');
  checkCount(statements, 'update.updates');
  const target = targetOf(context);
  const upserted: Doc[] = [];
  let n = 0;
  let nModified = 0;
  const errors = yield* eachStatement(context, statements ?? [], function* (given, index) {
    for (const name of given.keys())
      if (!UPDATE_FIELDS.has(name))
        throw new ServerError(40415, `BSON field 'update.updates.${name}' is an unknown field.`);
    const result = yield* updateDocuments(target, updateStatementOf(given, 'q', 'u', context));
    n += result.matched + (result.upserted === undefined ? 0 : 1);
    nModified += result.modified;
    if (result.upserted !== undefined) upserted.push(members({ index, _id: result.upserted }));
  });
  return ok({
    n,
    upserted: upserted.length > 0 ? upserted : undefined,
    nModified,
    writeErrors: errors.length > 0 ? errors : undefined,
  });
}

const DELETE_FIELDS = new Set(['q', 'limit', 'collation', 'hint', 'sampleId']);

function* remove(context: Context): Task<Reply> {
  const statements = context.command.docs('deletes');
  checkCount(statements, 'delete.deletes');
  const target = targetOf(context);
  let n = 0;
  const errors = yield* eachStatement(context, statements ?? [], function* (given) {
    for (const name of given.keys())
      if (!DELETE_FIELDS.has(name))
        throw new ServerError(40415, `BSON field 'delete.deletes.${name}' is an unknown field.`);
    const limit = given.get('limit');
    const number = limit !== undefined && isNumeric(limit) ? toDouble(limit) : Number.NaN;
    if (number !== 0 && number !== 1)
      throw new ServerError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${String(number)}`);
    n += (yield* deleteDocuments(target, selectionOf(given, 'q', variablesOf(context)), number === 0)).deleted;
  });
  return ok({ n, writeErrors: errors.length > 0 ? errors : undefined });
}

export const WRITE: CommandTable = {
  insert: { kind: 'write', fields: new Set(['documents', 'ordered', 'encryptionInformation']), run: insert },
  update: {
    kind: 'write',
    fields: new Set(['updates', 'ordered', 'let', 'runtimeConstants', 'encryptionInformation']),
    run: update,
  },
  delete: {
    kind: 'write',
    fields: new Set(['deletes', 'ordered', 'let', 'runtimeConstants', 'encryptionInformation']),
    removes: () => true,
    run: remove,
  },
};
