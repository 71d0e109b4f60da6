import { decode } from '../../bson/decode';
import { encode } from '../../bson/encode';
import { ServerError } from '../../bson/error';
import { isDoc } from '../../bson/value';
import { compileProjection } from '../../query/projection';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { members, type Reply, valueReply } from '../reply';
import { deleteDocuments, hintOf, type Target, updateDocuments } from '../statements';
import { variablesOf } from '../variables';

function* findAndModify(context: Context): Task<Reply> {
  const { command, store, reader, db } = context;
  const target: Target = { store, reader, db, name: command.string(command.name) };
  const remove = command.boolean('remove');
  const update = command.value('update');
  const upsert = command.boolean('upsert');
  const returnNew = command.boolean('new');
  if (remove && (update !== undefined || upsert || returnNew))
    throw new ServerError('FailedToParse', "Cannot specify both 'remove' and an update, upsert or new=true");
  if (!remove && update === undefined)
    throw new ServerError('FailedToParse', 'Either an update or remove=true must be specified');
  const selection = {
    filter: command.doc('query') ?? new Map(),
    sort: command.doc('sort'),
    hint: hintOf(command.value('hint')),
    variables: variablesOf(context),
  };
  const show = projector(context, selection.filter);
  if (remove) {
    const { deleted, last } = yield* deleteDocuments(target, selection, false);
    return valueReply(members({ n: deleted }), show(last));
  }
  if (!isDoc(update) && !Array.isArray(update))
    throw new ServerError('FailedToParse', 'Update argument must be either an object or an array');
  const result = yield* updateDocuments(target, {
    ...selection,
    update,
    multi: false,
    upsert,
    arrayFilters: command.array('arrayFilters'),
    bypassValidation: command.boolean('bypassDocumentValidation'),
  });
  const lastError = members({
    n: result.matched > 0 || result.upserted !== undefined ? 1 : 0,
    updatedExisting: result.matched > 0,
    upserted: result.upserted,
  });
  return valueReply(lastError, show(returnNew ? result.after : result.before));
}

/** The document of the reply: its stored bytes unless there is a projection. */
function projector(
  context: Context,
  filter: NonNullable<ReturnType<Context['command']['doc']>>,
): (bytes: Buffer | undefined) => Buffer | null {
  const fields = context.command.doc('fields');
  if (fields === undefined || fields.size === 0) return (bytes) => bytes ?? null;
  const project = compileProjection(fields, { flavour: 'find', filter });
  return (bytes) => (bytes === undefined ? null : encode(project(decode(bytes))));
}

const FIELDS = new Set(
  'query sort remove update new fields upsert collation arrayFilters hint let runtimeConstants sampleId'.split(' '),
);

const removes = ({ command }: Context): boolean => command.boolean('remove');

export const FIND_AND_MODIFY: CommandTable = {
  findAndModify: { kind: 'write', fields: FIELDS, removes, run: findAndModify },
  findandmodify: { kind: 'write', fields: FIELDS, removes, run: findAndModify },
};
