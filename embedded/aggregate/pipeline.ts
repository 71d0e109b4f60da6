import { ServerError } from '../bson/error';
import { type Doc, isDoc, type Value } from '../bson/value';
import { expressionCompiler } from './expression';
import type { PipelineEnv, Stage, StageCompiler, StageContext } from './stage';
import { count, facet, limit, limitOf, match, sample, skip, sort, sortStage } from './stages/flow';
import { group, sortByCount } from './stages/group';
import { lookup } from './stages/lookup';
import { addFields, project, replaceRoot, replaceWith, unset } from './stages/shape';
import { unwind } from './stages/unwind';

export type { PipelineEnv } from './stage';

export interface Pipeline {
  run(documents: Iterable<Doc>): Iterable<Doc>;
  /**
   * The leading `$match` (conjunction of the first stages), so that the caller can use an index.
   * It is still part of `run`; documents that it would drop may be left out of the input.
   */
  match?: Doc;
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
    $sample: sample,
    $lookup: lookup,
  }),
);

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
 * @throws ServerError 40324 for a stage that the store does not have
 */
export function compilePipeline(stages: readonly Value[], env: PipelineEnv): Pipeline {
  const parsed = parseStages(stages);
  return { run: compileStages(parsed, env), match: leadingMatch(parsed) };
}

function leadingMatch(stages: readonly Parsed[]): Doc | undefined {
  const end = stages.findIndex(({ name }) => name !== '$match');
  const filters = (end < 0 ? stages : stages.slice(0, end)).map(({ argument }) => argument as Doc);
  return filters.length > 1 ? new Map([['$and', filters]]) : filters[0];
}

function compileStages(stages: readonly Parsed[], env: PipelineEnv): Stage {
  const context: StageContext = {
    env,
    compiler: () => expressionCompiler({ let: env.let, now: env.now }),
    facet: (inner) => facetPipeline(inner, env),
  };
  const compiled = stages.map(({ name, argument }, index) => {
    const next = stages[index + 1];
    // As MongoDB, the sort gets the limit too, so that it need not hold all documents.
    if (name === '$sort' && next?.name === '$limit') return sortStage(argument, limitOf(next.argument));
    return stageCompiler(name)(argument, context, name);
  });
  return (input) => compiled.reduce((flow, stage) => stage(flow), input);
}

function stageCompiler(name: string): StageCompiler {
  const compiler = STAGES.get(name);
  if (compiler !== undefined) return compiler;
  throw new ServerError(
    40324,
    `Unrecognized pipeline stage name: '${name}'. The built-in store does not have this stage.`,
  );
}

function facetPipeline(stages: readonly Value[], env: PipelineEnv): Stage {
  const parsed = parseStages(stages);
  if (parsed.some(({ name }) => name === '$facet'))
    throw new ServerError(40600, '$facet is not allowed to be used within a $facet stage');
  return compileStages(parsed, env);
}
