import { performance } from 'node:perf_hooks';
import { ServerError } from '../../bson/error';
import type { Doc } from '../../bson/value';
import { compileProjection } from '../../query/projection';
import { Batch, fill } from '../../store/cursors';
import { checkSelection, type Selection, selectStream } from '../../store/query';
import { DocumentStream, type ResultStream } from '../../store/result-stream';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { namedCollection, namespaceOf } from '../context';
import { cursorReply, ok, type Reply } from '../reply';
import { hintOf } from '../statements';
import { variablesOf } from '../variables';

/** Default size of the first batch, as in MongoDB. */
const FIRST_BATCH = 101;

const REFUSED = ['min', 'max', 'returnKey', 'showRecordId', 'oplogReplay', 'ntoreturn'];

/** The first batch of a result, with a cursor when there is more. */
export function* firstReply(
  context: Context,
  stream: ResultStream,
  namespace: string,
  options: FirstReply = {},
): Task<Reply> {
  const batch = new Batch(options.batchSize ?? FIRST_BATCH);
  yield* fill(context.reader, stream, batch);
  const exhausted = stream.done && batch.held === undefined;
  if (exhausted || options.single === true) return cursorReply('first', batch.documents, 0n, namespace);
  const cursor = context.store.cursors.open(
    namespace,
    stream,
    options.noTimeout === true,
    batch.held,
    performance.now(),
  );
  return cursorReply('first', batch.documents, cursor.id, namespace);
}

interface FirstReply {
  readonly batchSize?: number;
  readonly single?: boolean;
  readonly noTimeout?: boolean;
}

function* find(context: Context): Task<Reply> {
  const { command, store } = context;
  const namespace = namespaceOf(context);
  checkFind(context);
  const filter = command.doc('filter') ?? new Map();
  const selection = {
    filter,
    sort: command.doc('sort'),
    hint: hintOf(command.value('hint')),
    variables: variablesOf(context),
  };
  const collection = namedCollection(context);
  // Otherwise the plan checks it. Filter errors come before projection errors.
  if (collection === undefined || command.has('projection')) checkSelection(selection);
  const window = {
    skip: command.count('skip') ?? 0,
    limit: command.count('limit') || Number.POSITIVE_INFINITY,
    project: projectionOf(context, selection),
  };
  const stream = collection === undefined ? new DocumentStream([]) : selectStream(store, collection, selection, window);
  return yield* firstReply(context, stream, namespace, {
    batchSize: command.count('batchSize'),
    single: command.boolean('singleBatch'),
    noTimeout: command.boolean('noCursorTimeout'),
  });
}

function projectionOf({ command }: Context, selection: Selection): ((document: Doc) => Doc) | undefined {
  const projection = command.doc('projection');
  if (projection === undefined || projection.size === 0) return undefined;
  const { filter, variables } = selection;
  return compileProjection(projection, { flavour: 'find', filter, let: variables });
}

function checkFind({ command }: Context): void {
  for (const name of REFUSED)
    if (command.has(name) && (typeof command.value(name) !== 'boolean' || command.boolean(name)))
      throw new ServerError('NotImplemented', `find option is not supported: ${name}`);
  if (command.boolean('tailable'))
    throw new ServerError('BadValue', 'error processing query: tailable cursor requested on non capped collection');
  if (command.boolean('awaitData')) throw new ServerError('FailedToParse', 'Cannot set awaitData without tailable');
}

const FIND_FIELDS = new Set(
  (
    'filter projection sort skip limit batchSize singleBatch hint collation let tailable awaitData noCursorTimeout ' +
    'allowDiskUse allowPartialResults min max returnKey showRecordId oplogReplay ntoreturn runtimeConstants'
  ).split(' '),
);

function* getMore(context: Context): Task<Reply> {
  const { command, db, store, reader } = context;
  const id = command.value('getMore');
  if (typeof id !== 'bigint')
    throw new ServerError('TypeMismatch', "BSON field 'getMore.getMore' is the wrong type, expected type 'long'");
  const namespace = `${db}.${command.string('collection')}`;
  const batchSize = command.integer('batchSize');
  if (batchSize !== undefined && batchSize < 0)
    throw new ServerError('BadValue', 'Batch size for getMore must be positive');
  const cursor = store.cursors.get(id, namespace);
  const batch = new Batch(batchSize || Number.POSITIVE_INFINITY);
  cursor.inUse = true;
  try {
    yield* fill(reader, cursor.stream, batch, cursor.held);
  } catch (error) {
    store.cursors.close(id);
    throw error;
  } finally {
    cursor.inUse = false;
    cursor.lastUsedAt = performance.now();
  }
  cursor.held = batch.held;
  const exhausted = cursor.stream.done && batch.held === undefined;
  if (exhausted) store.cursors.close(id);
  return cursorReply('next', batch.documents, exhausted ? 0n : id, namespace);
}

function killCursors(context: Context): Reply {
  const { command, store } = context;
  const ids = command.array('cursors') ?? [];
  const killed: bigint[] = [];
  const notFound: bigint[] = [];
  for (const id of ids) {
    if (typeof id !== 'bigint') throw new ServerError('TypeMismatch', 'cursor ids are longs');
    (store.cursors.close(id) ? killed : notFound).push(id);
  }
  return ok({ cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] });
}

export const FIND: CommandTable = {
  find: { kind: 'read', fields: FIND_FIELDS, run: find },
  getMore: {
    kind: 'read',
    fields: new Set(['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime']),
    run: getMore,
  },
  killCursors: { kind: 'instant', run: killCursors },
};
