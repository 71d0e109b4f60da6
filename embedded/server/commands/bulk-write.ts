import { performance } from 'node:perf_hooks';
import { ServerError } from '../../bson/error';
import { decode } from '../../bson/decode';
import { encode } from '../../bson/encode';
import { type Doc, double, type Value } from '../../bson/value';
import { elements, elementBytes } from '../../store/raw-bson';
import { Batch, fill } from '../../store/cursors';
import { DocumentStream } from '../../store/result-stream';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { members, type Reply } from '../reply';
import { deleteDocuments, insertDocument, selectionOf, type Target, truthy, updateDocuments } from '../statements';
import { variablesOf } from '../variables';
import { updateStatementOf } from './write';

interface Totals {
  inserted: number;
  matched: number;
  modified: number;
  upserted: number;
  deleted: number;
}

/** One row of the reply's cursor. */
const row = (index: number, values: Record<string, Value | undefined>): Doc =>
  members({ ok: double(1), idx: index, ...values });

function errorRow(index: number, error: ServerError): Doc {
  const entry = members({ ok: double(0), idx: index, code: error.code });
  for (const [name, value] of Object.entries(error.details ?? {})) entry.set(name, value as Value);
  return entry.set('errmsg', error.message).set('n', 0);
}

/** Operations on several collections in one command, each with its own result row. */
function* bulkWrite(context: Context): Task<Reply> {
  const { command } = context;
  const operations = command.documents('ops') ?? [];
  const namespaces = (command.docs('nsInfo') ?? []).map((info) => namespaceOf(info));
  if (operations.length === 0)
    throw new ServerError('InvalidLength', 'Write batch sizes must be between 1 and 100000. Got 0 operations.');
  const ordered = command.boolean('ordered', true);
  const totals: Totals = { inserted: 0, matched: 0, modified: 0, upserted: 0, deleted: 0 };
  const rows: Doc[] = [];
  let errors = 0;
  for (const [index, bytes] of operations.entries()) {
    try {
      rows.push(yield* runOne(context, bytes, index, namespaces, totals));
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      rows.push(errorRow(index, error));
      errors++;
      if (ordered) break;
    }
    if (context.reader.timeSlice.due()) yield;
  }
  const shown = command.boolean('errorsOnly') ? rows.filter((each) => each.get('code') !== undefined) : rows;
  return yield* reply(context, shown, totals, errors);
}

function namespaceOf(info: Doc): { db: string; name: string } {
  const ns = info.get('ns');
  const dot = typeof ns === 'string' ? ns.indexOf('.') : -1;
  if (typeof ns !== 'string' || dot <= 0)
    throw new ServerError('InvalidNamespace', `Invalid namespace specified for bulkWrite: '${String(ns)}'`);
  return { db: ns.slice(0, dot), name: ns.slice(dot + 1) };
}

function* runOne(
  context: Context,
  bytes: Buffer,
  index: number,
  namespaces: readonly { db: string; name: string }[],
  totals: Totals,
): Task<Doc> {
  const { store, reader, command } = context;
  const operation = decode(bytes);
  const [kind, where] = [...operation][0] ?? [];
  const namespace = typeof where === 'number' ? namespaces[where] : undefined;
  if (namespace === undefined)
    throw new ServerError('BadValue', `BulkWrite ops entry ${index} has an invalid nsInfo index.`);
  const target: Target = { store, reader, ...namespace };
  switch (kind) {
    case 'insert': {
      const document = elements(bytes).find(({ name }) => name === 'document');
      if (document === undefined)
        throw new ServerError(40414, "BSON field 'bulkWrite.insert.document' is missing but a required field");
      insertDocument(target, elementBytes(bytes, document) as Buffer, command.boolean('bypassDocumentValidation'));
      totals.inserted++;
      return row(index, { n: 1 });
    }
    case 'update': {
      const statement = updateStatementOf(operation, 'filter', 'updateMods', context);
      const result = yield* updateDocuments(target, statement);
      totals.matched += result.matched;
      totals.modified += result.modified;
      if (result.upserted === undefined) return row(index, { n: result.matched, nModified: result.modified });
      totals.upserted++;
      return row(index, { n: 1, nModified: 0, upserted: members({ _id: result.upserted }) });
    }
    case 'delete': {
      const selection = selectionOf(operation, 'filter', variablesOf(context));
      const { deleted } = yield* deleteDocuments(target, selection, truthy(operation.get('multi')));
      totals.deleted += deleted;
      return row(index, { n: deleted });
    }
    default:
      throw new ServerError('BadValue', `unknown bulkWrite operation: ${String(kind)}`);
  }
}

/** The reply has a cursor over the rows; its id must be an int64, here a bigint. */
function* reply(context: Context, rows: Doc[], totals: Totals, errors: number): Task<Reply> {
  const { store, reader, command } = context;
  const namespace = 'admin.$cmd.bulkWrite';
  const size = command.doc('cursor')?.get('batchSize');
  const batch = new Batch(typeof size === 'number' ? size : Number.POSITIVE_INFINITY);
  const stream = new DocumentStream(rows);
  yield* fill(reader, stream, batch);
  const exhausted = stream.done && batch.held === undefined;
  const id = exhausted ? 0n : store.cursors.open(namespace, stream, false, batch.held, performance.now()).id;
  return encode(
    members({
      cursor: members({ id, firstBatch: batch.documents.map((bytes) => decode(bytes)), ns: namespace }),
      nErrors: errors,
      nInserted: totals.inserted,
      nMatched: totals.matched,
      nModified: totals.modified,
      nUpserted: totals.upserted,
      nDeleted: totals.deleted,
      ok: double(1),
    }),
  );
}

export const BULK_WRITE: CommandTable = {
  bulkWrite: {
    kind: 'write',
    adminOnly: true,
    fields: new Set(['ops', 'nsInfo', 'ordered', 'let', 'errorsOnly', 'cursor', 'bypassDocumentValidation']),
    run: bulkWrite,
  },
};
