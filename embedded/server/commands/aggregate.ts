import { decode } from '../../bson/decode';
import { encode } from '../../bson/encode';
import { ServerError } from '../../bson/error';
import { isNumeric, toDouble } from '../../bson/numeric';
import { type Doc, isDoc, type Value } from '../../bson/value';
import { compilePipeline, type Pipeline } from '../../aggregate/pipeline';
import type { Collection } from '../../store/collection';
import { prepareSelection, type Selection } from '../../store/query';
import { DocumentStream } from '../../store/result-stream';
import type { Reader } from '../../store/scan';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { ok, type Reply } from '../reply';
import { hintOf } from '../statements';
import { variablesOf } from '../variables';
import { countMatches } from './count';
import { explainSelection } from './explain';
import { firstReply } from './find';
import { collectionStats } from './stats';
import { type CurrentReader, documentsOf, sourceOf } from '../pipeline-source';

/** The pipeline of a command, checked to be a list of documents. */
function stagesOf({ command }: Context): Doc[] {
  const pipeline = command.array('pipeline');
  if (pipeline === undefined)
    throw new ServerError(40414, "BSON field 'aggregate.pipeline' is missing but a required field");
  return pipeline.map((stage) => {
    if (!isDoc(stage)) throw new ServerError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
    return stage;
  });
}

const stageName = (stage: Doc | undefined): string | undefined => stage?.keys().next().value;

function* aggregate(context: Context): Task<Reply> {
  const { command, db, store } = context;
  const stages = stagesOf(context);
  const wholeDatabase = typeof command.value('aggregate') !== 'string';
  const name = wholeDatabase ? '$cmd.aggregate' : command.string('aggregate');
  const namespace = `${db}.${name}`;
  const collection = wholeDatabase ? undefined : store.catalog.find(db, name);
  const cursor = command.doc('cursor');
  if (cursor === undefined && !command.has('explain'))
    throw new ServerError(
      'FailedToParse',
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  const size = cursor?.get('batchSize');
  const batchSize = size !== undefined && isNumeric(size) ? toDouble(size) : undefined;
  const first = stageName(stages[0]);
  if (first === '$collStats')
    return yield* firstReply(context, statsPipeline(context, collection, stages), namespace, { batchSize });
  const current: CurrentReader = { reader: context.reader };
  const pipeline = compilePipeline(stages, {
    now: new Date(),
    let: variablesOf(context),
    collection: (other) => documentsOf(store, db, other, current),
  });
  if (wholeDatabase)
    throw new ServerError(
      'InvalidNamespace',
      `{aggregate: 1} is not valid for '${first ?? 'an empty pipeline'}'; a collection is required.`,
    );
  if (command.boolean('explain')) return explainPipeline(context, collection, stages, pipeline);
  const results = yield* runPipeline(context, collection, stages, pipeline, current);
  const begin = (reader: Reader): void => void (current.reader = reader);
  return yield* firstReply(context, new DocumentStream(results, begin), namespace, { batchSize });
}

/** The index-supported part of a pipeline: the leading $match, and a $sort (with $limit) after it. */
function selectionOf(context: Context, stages: readonly Doc[], pipeline: Pipeline): Selection & { limit: number } {
  const rest = stages.slice(stages.findIndex((stage) => !stage.has('$match')) >>> 0);
  const sort = rest[0]?.get('$sort');
  const limit = isDoc(sort) ? rest[1]?.get('$limit') : rest[0]?.get('$limit');
  return {
    filter: pipeline.match ?? new Map(),
    sort: isDoc(sort) ? sort : undefined,
    hint: hintOf(context.command.value('hint')),
    variables: variablesOf(context),
    limit: limit !== undefined && isNumeric(limit) ? toDouble(limit) : Number.POSITIVE_INFINITY,
  };
}

function* runPipeline(
  context: Context,
  collection: Collection | undefined,
  stages: readonly Doc[],
  pipeline: Pipeline,
  current: CurrentReader,
): Task<Iterable<Doc>> {
  const { store, reader } = context;
  if (collection === undefined) return pipeline.run([]);
  const selection = selectionOf(context, stages, pipeline);
  const counted = countField(stages.filter((stage) => !stage.has('$match')));
  if (counted !== undefined && stages.slice(0, -1).every((stage) => stage.has('$match'))) {
    const n = yield* countMatches(
      store,
      reader,
      collection,
      { ...selection, sort: undefined },
      Number.POSITIVE_INFINITY,
    );
    return n === 0 ? [] : [counted(n)];
  }
  const prepared = prepareSelection(collection, selection);
  const options = {
    max: prepared.plan.sorted ? selection.limit : Number.POSITIVE_INFINITY,
    held: stages.some((stage) => HOLDING.has(stageName(stage) ?? '')),
  };
  return pipeline.run(sourceOf(store, collection, prepared, current, options));
}

/** Stages that hold all their input. ($group holds its accumulators.) */
const HOLDING = new Set(['$sort', '$facet', '$sample']);

/** Recognizes {$group: {_id: <constant>, n: {$sum: 1}}}, which countDocuments sends, and {$count}. */
function countField(stages: readonly Doc[]): ((n: number) => Doc) | undefined {
  const [stage, more] = stages;
  if (stage === undefined || more !== undefined) return undefined;
  const counted = stage.get('$count');
  if (typeof counted === 'string' && counted !== '' && !/[.$]/.test(counted)) return (n) => new Map([[counted, n]]);
  const group = stage.get('$group');
  if (!isDoc(group) || group.size !== 2) return undefined;
  const id = group.get('_id');
  const [field, sum] = [...group].find(([name]) => name !== '_id') ?? [];
  if (field === undefined || !isDoc(sum) || sum.size !== 1 || sum.get('$sum') !== 1) return undefined;
  return id === null || typeof id === 'number'
    ? (n) =>
        new Map<string, Value>([
          ['_id', id],
          [field, n],
        ])
    : undefined;
}

function statsPipeline(context: Context, collection: Collection | undefined, stages: readonly Doc[]): DocumentStream {
  const stats = collectionStats(context, collection, stages[0]?.get('$collStats'));
  const rest = compilePipeline(stages.slice(1), { now: new Date(), collection: () => [] });
  return new DocumentStream(rest.run([stats]));
}

function explainPipeline(
  context: Context,
  collection: Collection | undefined,
  stages: readonly Doc[],
  pipeline: Pipeline,
): Reply {
  const explained = explainSelection(context, collection, selectionOf(context, stages, pipeline));
  return ok({ queryPlanner: explained, stages: stages.map((stage) => decode(encode(stage))) });
}

export const AGGREGATE: CommandTable = {
  aggregate: {
    kind: 'read',
    fields: new Set(
      (
        'pipeline cursor explain allowDiskUse collation hint let bypassDocumentValidation runtimeConstants fromMongos ' +
        'needsMerge exchange isMapReduceCommand'
      ).split(' '),
    ),
    run: aggregate,
  },
};
