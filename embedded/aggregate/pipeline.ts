import { SIMPLE } from '../bson/collation';
import { ServerError } from '../bson/error';
import { typeName } from '../bson/types';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import { expressionCompiler } from './expression';
import type { PipelineEnv, Stage, StageCompiler, StageContext } from './stage';
import { densify } from './stages/densify';
import { fill } from './stages/fill';
import { count, documents, facet, limit, limitOf, match, sample, skip, sort, sortStage } from './stages/flow';
import { bucket, bucketAuto, group, sortByCount } from './stages/group';
import { graphLookup, lookup, unionWith } from './stages/join';
import { addFields, project, redact, replaceRoot, replaceWith, unset } from './stages/shape';
import { parseTerminal, type Terminal } from './stages/terminal';
import { unwind } from './stages/unwind';
import { setWindowFields } from './stages/window';

export type { PipelineEnv } from './stage';
export type { Terminal } from './stages/terminal';

export interface Pipeline {
  run(documents: Iterable<Doc>): Iterable<Doc>;
  /** Where the results go, when not to the client. */
  terminal?: Terminal;
  /**
   * The leading `$match` (conjunction of the first stages), so that the caller can use an index.
   * It is still part of `run`; documents that it would drop may be left out of the input.
   */
  match?: Doc;
  /** The pipeline starts with `$documents` and reads no collection. */
  generates: boolean;
}

const STAGES = new Map<string, StageCompiler>(
  Object.entries({
    $match: match,
    $project: project,
    $set: addFields,
    $addFields: addFields,
    $unset: unset,
    $sort: sort,
    $limit: limit,
    $skip: skip,
    $group: group,
    $unwind: unwind,
    $count: count,
    $sortByCount: sortByCount,
    $replaceRoot: replaceRoot,
    $replaceWith: replaceWith,
    $facet: facet,
    $bucket: bucket,
    $bucketAuto: bucketAuto,
    $sample: sample,
    $redact: redact,
    $unionWith: unionWith,
    $lookup: lookup,
    $graphLookup: graphLookup,
    $setWindowFields: setWindowFields,
    $documents: documents,
    $densify: densify,
    $fill: fill,
  }),
);

/** Stages of MongoDB that this engine has not: named, so that the refusal is not mistaken for a typing error. */
const REFUSED = new Map<string, number | 'NotImplemented'>([
  ['$changeStream', 40573],
  ['$changeStreamSplitLargeEvent', 40573],
  ['$geoNear', 'NotImplemented'],
  ['$search', 'NotImplemented'],
  ['$searchMeta', 'NotImplemented'],
  ['$vectorSearch', 'NotImplemented'],
  ['$indexStats', 'NotImplemented'],
  ['$collStats', 'NotImplemented'],
  ['$planCacheStats', 'NotImplemented'],
  ['$currentOp', 'NotImplemented'],
  ['$listSessions', 'NotImplemented'],
  ['$listLocalSessions', 'NotImplemented'],
  ['$queryStats', 'NotImplemented'],
]);

interface Parsed {
  name: string;
  argument: Value;
}

function parseStages(stages: readonly Value[]): Parsed[] {
  return stages.map((stage) => {
    if (!isDoc(stage)) throw new ServerError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
    if (stage.size !== 1)
      throw new ServerError(40323, 'A pipeline stage specification object must contain exactly one field.');
    const [name, argument] = stage.entries().next().value as [string, Value];
    return { name, argument };
  });
}

/**
 * @param stages each a document with one member
 * @throws ServerError 40324 for an unknown stage; an unsupported one is refused by name
 */
export function compilePipeline(stages: readonly Value[], env: PipelineEnv): Pipeline {
  const parsed = parseStages(stages);
  const last = parsed.at(-1);
  const terminal = last === undefined ? undefined : parseTerminal(last.name, last.argument);
  const body = terminal === undefined ? parsed : parsed.slice(0, -1);
  return {
    run: compileStages(body, env),
    terminal,
    match: leadingMatch(body),
    generates: body[0]?.name === '$documents',
  };
}

function leadingMatch(stages: readonly Parsed[]): Doc | undefined {
  const end = stages.findIndex(({ name }) => name !== '$match');
  const filters = (end < 0 ? stages : stages.slice(0, end)).map(({ argument }) => argument as Doc);
  return filters.length > 1 ? new Map([['$and', filters]]) : filters[0];
}

function compileStages(stages: readonly Parsed[], env: PipelineEnv): Stage {
  const collation = env.collation ?? SIMPLE;
  const context: StageContext = {
    env,
    collation,
    compiler: () => expressionCompiler({ collation, let: env.let, now: env.now, random: env.random }),
    pipeline: (inner, options) => innerPipeline(inner, env, options),
  };
  const compiled = stages.map(({ name, argument }, index) => {
    if (name === '$documents' && index > 0)
      throw new ServerError(40602, '$documents is only valid as the first stage in a pipeline');
    const next = stages[index + 1];
    // The server gives the limit to the sort as well, so that it need not hold everything.
    if (name === '$sort' && next?.name === '$limit') return sortStage(argument, context, limitOf(next.argument));
    return stageCompiler(name)(argument, context, name);
  });
  return (input) => compiled.reduce((flow, stage) => stage(flow), input);
}

function stageCompiler(name: string): StageCompiler {
  const compiler = STAGES.get(name);
  if (compiler !== undefined) return compiler;
  if (name === '$out' || name === '$merge')
    throw new ServerError(40601, `${name} can only be the final stage in the pipeline`);
  const refusal = REFUSED.get(name);
  if (refusal !== undefined) throw new ServerError(refusal, `The ${name} stage is not supported`);
  throw new ServerError(40324, `Unrecognized pipeline stage name: '${name}'`);
}

/** Results of a stage cannot be written from inside another one. */
function innerPipeline(
  stages: Value,
  env: PipelineEnv,
  options?: { let?: ReadonlyMap<string, Maybe>; within: string },
): Stage {
  if (!Array.isArray(stages))
    throw new ServerError('TypeMismatch', `a pipeline must be an array, found ${typeName(stages)}`);
  const parsed = parseStages(stages);
  const forbidden = options?.within === '$facet' ? ['$out', '$merge', '$facet', '$documents'] : ['$out', '$merge'];
  for (const { name } of parsed) {
    if (forbidden.includes(name)) {
      throw new ServerError(
        options?.within === '$facet' ? 40600 : 51047,
        `${name} is not allowed to be used within a ${options?.within} stage`,
      );
    }
  }
  return compileStages(parsed, options?.let === undefined ? env : { ...env, let: options.let });
}
